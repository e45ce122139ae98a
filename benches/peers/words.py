"""Vectors of hashed words, and a small server on this machine that gives them to our side."""

import http.server
import json
import re
import threading
import zlib

import numpy as np


def hashed(text, dims):
    """A direction for each word of a text, added up."""
    total = np.zeros(dims)
    for word in re.findall(r"\w+", text.lower()):
        total += np.random.default_rng(zlib.crc32(word.encode())).standard_normal(dims)
    return total


def unit(total):
    length = np.linalg.norm(total)
    return (total / length if length else total).astype(np.float32)


def serve(vector):
    """Answers for an embedding model, as long as the script runs; gives what our side calls it."""

    class Embeddings(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
            data = [{"index": at, "embedding": vector(text).tolist()} for at, text in enumerate(texts)]
            body = json.dumps({"data": data, "model": asked.get("model")}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"endpoint:http://127.0.0.1:{server.server_port}/v1?model=words"
