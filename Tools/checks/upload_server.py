"""A server on 127.0.0.1 that takes files by PUT, and misbehaves where the first part of the path says so.

usage: upload_server.py FOLDER [CERTIFICATE KEY [OTHER_PORT]]

Prints its port. Files are kept in FOLDER/files, and each request is a line of FOLDER/log: method, path, status and the
value of Authorization. The server ends with its standard input.
"""
import base64
import hashlib
import os
import socket
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

root = sys.argv[1]
certificate = sys.argv[2:4]
other = None
counts = {}
promised = {}
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def answer(self, status, headers=(), close=False):
        with lock, open(os.path.join(root, "log"), "a") as log:
            log.write(f"{self.command} {self.path} {status} {self.headers.get('Authorization', '-')}\n")
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if not any(name in ("Content-Length", "Transfer-Encoding") for name, _ in headers):
            self.send_header("Content-Length", "0")
        if close:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()

    def seen(self):
        """How often this request was made before."""
        with lock:
            key = (self.command, self.path)
            counts[key] = counts.get(key, 0) + 1
            return counts[key] - 1

    def mode(self):
        return self.path.split("/")[1]

    def place(self):
        path = self.path.replace("/putonly/", "/signed/")
        return os.path.join(root, "files", path.lstrip("/").replace("/", "__"))

    def refused(self):
        """Answers where the path says that the server has a fault."""
        mode, seen = self.mode(), self.seen()
        if mode == "401" or mode == "token" and self.headers.get("Authorization") != "Bearer secret-token":
            self.answer(401, close=True)
        elif mode in ("403", "500", "413"):
            self.answer(int(mode), close=True)
        elif mode == "busy" and seen == 0:
            self.answer(503, [("Retry-After", "1")], close=True)
        elif mode == "wait":
            self.answer(429, [("Retry-After", "20000")], close=True)
        elif mode == "away":
            self.answer(307, [("Location", other + self.path.replace("/away", "/ok"))], close=True)
        elif mode == "signed" and self.command == "PUT":
            # As stores of objects do, whose signed URLs are for one method each.
            self.answer(307, [("Location", self.path.replace("/signed", "/putonly"))], close=True)
        elif mode == "putonly" and self.command == "HEAD":
            self.answer(403, close=True)
        elif mode == "loop":
            self.answer(308, [("Location", self.path)], close=True)
        elif mode == "slow":
            time.sleep(30)
            self.close_connection = True
        else:
            return False
        return True

    def do_HEAD(self):
        if self.mode() in ("413", "away", "slow", "early"):
            return self.answer(404)
        if self.mode() == "unread" and self.path in promised:
            return self.answer(200, [("Content-Length", promised[self.path])])
        if self.refused():
            return
        if self.mode() == "nohead" and os.path.exists(self.place()):
            return self.answer(405)
        if not os.path.exists(self.place()):
            return self.answer(404)
        data = open(self.place(), "rb").read()
        digest = hashlib.sha256(data)
        headers = [("Content-Length", str(len(data)))]
        if self.mode() in ("plain", "half"):
            pass
        elif self.mode() == "mute":
            headers = [("Transfer-Encoding", "chunked")]
        elif self.mode() == "rfc":
            headers.append(("Repr-Digest", f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"))
        else:
            headers.append(("X-Checksum-Sha256", digest.hexdigest()))
        self.answer(200, headers)

    def do_PUT(self):
        if self.mode() == "cut" and self.seen() == 0:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        if self.refused():
            return
        if self.mode() in ("early", "unread"):
            promised[self.path] = self.headers["Content-Length"]
            self.answer(200, close=True)
            self.connection.shutdown(socket.SHUT_WR)
            time.sleep(1)
            return
        data = self.rfile.read(int(self.headers["Content-Length"]))
        digest = hashlib.sha256(data)
        if self.headers["X-Checksum-Sha256"] != digest.hexdigest():
            return self.answer(400)
        if self.headers["Repr-Digest"] != f"sha-256=:{base64.b64encode(digest.digest()).decode()}:":
            return self.answer(400)
        with open(self.place(), "wb") as file:
            file.write(data[:len(data) // 2] if self.mode() == "half" else data)
        wrong = [("X-Checksum-Sha256", "0" * 64)] if self.mode() == "lies" else []
        self.answer(201, wrong)


os.makedirs(os.path.join(root, "files"), exist_ok=True)
open(os.path.join(root, "log"), "a").close()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
elsewhere = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
elsewhere.daemon_threads = True
other = f"http://127.0.0.1:{elsewhere.server_port}"
if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
for one in (server, elsewhere):
    threading.Thread(target=one.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
