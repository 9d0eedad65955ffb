"""Runs inside the sandbox: a loopback port that leads to a socket file, for as long as a command runs.

usage: forward.py <socket> -- <command ...>

Ends with the command's own exit status. Written for every Python from 3.6 on, with the standard library alone.
"""

import socket
import subprocess
import sys
import threading

ADDRESS = ("127.0.0.1", 3128)


def pump(source, target):
    try:
        while True:
            block = source.recv(1 << 16)
            if not block:
                break
            target.sendall(block)
    except OSError:
        pass
    try:
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client, path):
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        server.connect(path)
        back = threading.Thread(target=pump, args=(server, client), daemon=True)
        back.start()
        pump(client, server)
        back.join()
    except OSError:
        pass
    finally:
        server.close()
        client.close()


def accept(door, path):
    while True:
        client, _ = door.accept()
        threading.Thread(target=serve, args=(client, path), daemon=True).start()


def main():
    path, command = sys.argv[1], sys.argv[3:]
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    door.bind(ADDRESS)
    door.listen(128)
    threading.Thread(target=accept, args=(door, path), daemon=True).start()
    try:
        status = subprocess.call(command)
    except OSError as error:
        sys.stderr.write("%s: %s\n" % (command[0], error.strerror))
        status = 127
    sys.exit(status if status >= 0 else 128 - status)


main()
