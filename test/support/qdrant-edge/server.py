"""Qdrant's own engine (qdrant-edge) behind the part of Qdrant's REST interface that Engraph speaks, on 127.0.0.1, for tests.

server.py FOLDER_OF_THE_ENGINE FOLDER_OF_THE_COLLECTIONS PORT
Says {"port": ...} when it serves, and ends when its standard input does. It has no authentication, TLS, rate limits, snapshots,
replicas, or queue of updates (wait=false): what it acknowledges is applied.
"""

import json
import os
import re
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

sys.path.insert(0, sys.argv[1])

from shards import Collections  # noqa: E402
from translation import Refused  # noqa: E402

VERSION = "1.19.0"
ACKNOWLEDGED = {"operation_id": 0, "status": "completed"}


def indexed(collection, body):
    collection.index(body["field_name"], body["field_schema"])
    return ACKNOWLEDGED


def upserted(collection, body):
    collection.upsert(body)
    return ACKNOWLEDGED


def deleted(collection, body):
    collection.delete(body)
    return ACKNOWLEDGED


ON_COLLECTION = {
    ("GET", ""): lambda collection, _body: collection.describe(),
    ("PUT", "/index"): indexed,
    ("PUT", "/points"): upserted,
    ("POST", "/points"): lambda collection, body: collection.retrieve(body),
    ("POST", "/points/delete"): deleted,
    ("POST", "/points/scroll"): lambda collection, body: collection.scroll(body),
    ("POST", "/points/count"): lambda collection, body: collection.count(body),
    ("POST", "/points/query"): lambda collection, body: collection.query([body])[0],
    ("POST", "/points/query/batch"): lambda collection, body: collection.query(body["searches"]),
    ("POST", "/facet"): lambda collection, body: collection.facet(body),
}


def answer(collections, method, path, body):
    if path == "/" and method == "GET":
        return {"title": "qdrant-edge behind the HTTP shim of Engraph's tests", "version": VERSION}
    if path == "/collections" and method == "GET":
        return {"result": {"collections": [{"name": name} for name in sorted(collections.open)]}}
    named = re.fullmatch(r"/collections/([^/]+)(/.*)?", path)
    if named is None:
        raise Refused(404, f"this stand-in does not serve {method} {path}")
    name, rest = unquote(named[1]), named[2] or ""
    if rest == "" and method == "PUT":
        collections.create(name, body)
        return {"result": True}
    if rest == "" and method == "DELETE":
        return {"result": collections.delete(name)}
    if (method, rest) not in ON_COLLECTION:
        raise Refused(404, f"this stand-in does not serve {method} {path}")
    return {"result": ON_COLLECTION[method, rest](collections.get(name), body)}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)

    def serve(self):
        length = int(self.headers.get("content-length") or 0)
        try:
            body = json.loads(self.rfile.read(length)) if length else {}
            status, told = 200, {"status": "ok", "time": 0.0} | answer(self.server.collections, self.command, urlsplit(self.path).path, body)
        except Refused as error:
            status, told = error.status, {"status": {"error": str(error)}, "time": 0.0}
        except (KeyError, TypeError, ValueError) as error:
            status, told = 400, {"status": {"error": f"Format error in JSON body: {error!r}"}, "time": 0.0}
        except Exception as error:  # the engine's own refusals have no common class
            status, told = 400, {"status": {"error": f"Wrong input: {error}"}, "time": 0.0}
        payload = json.dumps(told).encode()
        head = f"HTTP/1.1 {status} {self.responses[status][0]}\r\ncontent-type: application/json\r\ncontent-length: {len(payload)}\r\n\r\n"
        self.wfile.write(head.encode() + payload)  # at once, or each answer waits for an acknowledgement

    do_GET = do_PUT = do_POST = do_DELETE = serve

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port, folder):
        self.collections = Collections(folder)
        super().__init__(("127.0.0.1", port), Handler)


def main():
    server = Server(int(sys.argv[3]), sys.argv[2])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    sys.stdin.buffer.read()
    server.collections.close()
    os._exit(0)


main()
