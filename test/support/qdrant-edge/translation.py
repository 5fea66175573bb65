"""Qdrant's REST JSON as the objects of qdrant-edge, and back."""

import qdrant_edge as edge

DISTANCES = {"Cosine": edge.Distance.Cosine, "Dot": edge.Distance.Dot, "Euclid": edge.Distance.Euclid, "Manhattan": edge.Distance.Manhattan}
MODES = {"upsert": edge.UpdateMode.Upsert, "insert_only": edge.UpdateMode.InsertOnly, "update_only": edge.UpdateMode.UpdateOnly}
SCHEMAS = {
    "keyword": edge.PayloadSchemaType.Keyword,
    "integer": edge.PayloadSchemaType.Integer,
    "float": edge.PayloadSchemaType.Float,
    "bool": edge.PayloadSchemaType.Bool,
    "datetime": edge.PayloadSchemaType.Datetime,
    "uuid": edge.PayloadSchemaType.Uuid,
}


class Refused(Exception):
    """A request that the server answers with `status` and its reason."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def config_of(body):
    vectors = {
        name: edge.EdgeVectorParams(size=given["size"], distance=DISTANCES[given["distance"]])
        for name, given in (body.get("vectors") or {}).items()
    }
    sparse = {
        name: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf if given.get("modifier") == "idf" else edge.Modifier.None_)
        if given.get("modifier")
        else edge.EdgeSparseVectorParams()
        for name, given in (body.get("sparse_vectors") or {}).items()
    }
    return edge.EdgeConfig(vectors=vectors, sparse_vectors=sparse)


def schema_of(given):
    if isinstance(given, str):
        return SCHEMAS[given]
    if given["type"] == "keyword":
        return edge.KeywordIndexParams(is_tenant=given.get("is_tenant"))
    if given["type"] == "integer":
        return edge.IntegerIndexParams(lookup=given.get("lookup"), range=given.get("range"))
    return SCHEMAS[given["type"]]


def filter_of(given):
    if given is None:
        return None
    return edge.Filter(
        must=[condition_of(one) for one in listed(given.get("must"))] or None,
        should=[condition_of(one) for one in given["should"]] if given.get("should") is not None else None,
        must_not=[condition_of(one) for one in listed(given.get("must_not"))] or None,
    )


def condition_of(given):
    if "has_id" in given:
        return edge.HasIdCondition(set(given["has_id"]))
    if "is_empty" in given:
        return edge.IsEmptyCondition(given["is_empty"]["key"])
    if "is_null" in given:
        return edge.IsNullCondition(given["is_null"]["key"])
    if "nested" in given:
        return edge.NestedCondition(key=given["nested"]["key"], filter=filter_of(given["nested"]["filter"]))
    if "key" not in given:
        return filter_of(given)
    if "match" in given:
        return edge.FieldCondition(key=given["key"], match=match_of(given["match"]))
    if "range" in given:
        bounds = given["range"]
        kind = edge.RangeDateTime if any(isinstance(bound, str) for bound in bounds.values()) else edge.RangeFloat
        return edge.FieldCondition(key=given["key"], range=kind(**bounds))
    raise Refused(400, f"this stand-in knows no condition with {', '.join(sorted(given))}")


def match_of(given):
    if "any" in given:
        return edge.MatchAny(given["any"])
    if "except" in given:
        return edge.MatchExcept(given["except"])
    if "text" in given:
        return edge.MatchText(given["text"])
    return edge.MatchValue(given["value"])


def keys_of(given):
    """Every payload field that a filter names: what strict mode looks at."""
    if isinstance(given, list):
        return {key for one in given for key in keys_of(one)}
    if not isinstance(given, dict):
        return set()
    named = {given["key"]} if isinstance(given.get("key"), str) else set()
    return named | {key for one in given.values() if isinstance(one, (dict, list)) for key in keys_of(one)}


def listed(given):
    return given if isinstance(given, list) else [] if given is None else [given]


def point_of(given):
    return edge.Point(given["id"], {name: vector_of(one) for name, one in given["vector"].items()}, given.get("payload"))


def vector_of(given):
    if isinstance(given, dict):
        return edge.SparseVector(indices=given["indices"], values=[float(value) for value in given["values"]])
    return [float(value) for value in given]


def query_of(given):
    params = given.get("params") or {}
    corpus = (params.get("idf") or {}).get("corpus")
    return edge.QueryRequest(
        limit=given.get("limit", 10),
        offset=given.get("offset"),
        query=edge.Query.Nearest(vector_of(given["query"]), using=given.get("using")),
        filter=filter_of(given.get("filter")),
        with_payload=selector_of(given.get("with_payload", False)),
        with_vector=given.get("with_vector", False),
        params=edge.SearchParams(
            exact=params.get("exact", False),
            hnsw_ef=params.get("hnsw_ef"),
            idf=edge.IdfParams(corpus=filter_of(corpus)) if corpus is not None else None,
        ),
    )


def selector_of(given):
    return edge.PayloadSelector.Include(given) if isinstance(given, list) else given


def record_json(record):
    """A record or a hit as the server writes it: fields that were not asked for are left out."""
    told = {"id": str(record.id), "payload": record.payload, "vector": vectors_json(record.vector)}
    score = getattr(record, "score", None)
    if score is not None:
        told |= {"score": score, "version": 0}
    return {name: value for name, value in told.items() if value is not None}


def vectors_json(vectors):
    if not isinstance(vectors, dict):
        return vectors
    return {
        name: {"indices": one.indices, "values": one.values} if isinstance(one, edge.SparseVector) else one
        for name, one in vectors.items()
    }
