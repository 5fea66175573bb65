"""Collections on disk, one shard of qdrant-edge each."""

import json
import os
import shutil
import threading
import uuid

import qdrant_edge as edge

from translation import (
    MODES,
    Refused,
    config_of,
    filter_of,
    keys_of,
    point_of,
    query_of,
    record_json,
    schema_of,
    selector_of,
)


class Collection:
    """A shard with what the server knows of it beside: its settings and the types of its payload indexes."""

    def __init__(self, folder):
        self.folder = folder
        self.writing = threading.Lock()
        with open(os.path.join(folder, "collection.json")) as file:
            kept = json.load(file)
        self.config, self.schema = kept["config"], kept["schema"]
        self.shard = edge.EdgeShard.load(os.path.join(folder, "shard"))

    @staticmethod
    def create(folder, config):
        making = f"{folder}.making-{uuid.uuid4()}"
        os.makedirs(os.path.join(making, "shard"))
        edge.EdgeShard.create(os.path.join(making, "shard"), config_of(config)).close()
        write_json(os.path.join(making, "collection.json"), {"config": config, "schema": {}})
        os.rename(making, folder)
        return Collection(folder)

    def index(self, field, schema):
        with self.writing:
            self.update(edge.UpdateOperation.create_field_index(field, schema_of(schema)))
            self.schema[field] = schema
            write_json(os.path.join(self.folder, "collection.json"), {"config": self.config, "schema": self.schema})

    def describe(self):
        types = {field: {"data_type": one if isinstance(one, str) else one["type"], "points": 0} for field, one in self.schema.items()}
        params = {name: self.config[name] for name in ("vectors", "sparse_vectors") if name in self.config}
        config = {"params": params, "strict_mode_config": self.config.get("strict_mode_config")}
        points = self.shard.count(edge.CountRequest(exact=True))
        return {"status": "green", "optimizer_status": "ok", "points_count": points, "config": config, "payload_schema": types}

    def upsert(self, body):
        points = [point_of(one) for one in body["points"]]
        mode = MODES[body.get("update_mode") or "upsert"]
        with self.writing:
            self.update(edge.UpdateOperation.upsert_points(points, filter_of(body.get("update_filter")), mode))

    def delete(self, body):
        self.check(body.get("filter"))
        by_filter = edge.UpdateOperation.delete_points_by_filter
        operation = by_filter(filter_of(body["filter"])) if "filter" in body else edge.UpdateOperation.delete_points(body["points"])
        with self.writing:
            self.update(operation)

    def update(self, operation):
        try:
            self.shard.update(operation)
        except Exception as error:
            raise Refused(400, f"Wrong input: {error}") from error

    def retrieve(self, body):
        found = self.shard.retrieve(body["ids"], selector_of(body.get("with_payload", True)), body.get("with_vector", False))
        return [record_json(record) for record in found]

    def scroll(self, body):
        self.check(body.get("filter"))
        request = edge.ScrollRequest(
            offset=body.get("offset"),
            limit=body.get("limit", 10),
            filter=filter_of(body.get("filter")),
            with_payload=selector_of(body.get("with_payload", True)),
            with_vector=body.get("with_vector", False),
        )
        points, following = self.shard.scroll(request)
        return {"points": [record_json(record) for record in points], "next_page_offset": following and str(following)}

    def query(self, searches):
        for one in searches:
            self.check(one.get("filter"))
        batch = self.shard.query_batch(edge.QueryBatchRequest([query_of(one) for one in searches]))
        return [{"points": [record_json(record) for record in points]} for points in batch]

    def count(self, body):
        self.check(body.get("filter"))
        return {"count": self.shard.count(edge.CountRequest(exact=body.get("exact", True), filter=filter_of(body.get("filter"))))}

    def facet(self, body):
        self.check(body.get("filter"))
        request = edge.FacetRequest(body["key"], body.get("limit", 10), body.get("exact", False), filter_of(body.get("filter")))
        return {"hits": [{"value": hit.value, "count": hit.count} for hit in self.shard.facet(request).hits]}

    def check(self, given):
        """Strict mode, as the server has it: a filter may name indexed fields only."""
        strict = self.config.get("strict_mode_config") or {}
        unindexed = keys_of(given) - set(self.schema)
        if strict.get("enabled") and strict.get("unindexed_filtering_retrieve") is False and unindexed:
            raise Refused(400, f"Bad request: Index required but not found for \"{min(unindexed)}\"")


class Collections:
    """All collections of one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        os.makedirs(folder, exist_ok=True)
        self.open = {name: Collection(os.path.join(folder, name)) for name in os.listdir(folder) if ".making-" not in name}

    def get(self, name):
        if name not in self.open:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return self.open[name]

    def create(self, name, config):
        with self.lock:
            if name in self.open:
                raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
            self.open[name] = Collection.create(os.path.join(self.folder, name), config)

    def delete(self, name):
        with self.lock:
            gone = self.open.pop(name, None)
        if gone is None:
            return False
        with gone.writing:
            gone.shard.close()
        shutil.rmtree(gone.folder)
        return True

    def close(self):
        for one in self.open.values():
            one.shard.close()


def write_json(path, value):
    with open(f"{path}.new", "w") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)
