"""A module that a fork server runs for whoever starts this script: see the package.

    python -I -S client.py SOCKET MODULE ARGUMENT...

It imports nothing but what is built into Python, and so starts in some milliseconds. Where there is
no server, or one that has other settings of Python, it becomes ``python -P -m MODULE ARGUMENT...``.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import marshal
import os
import sys

DECLINED = b"run it yourself"
MOST = 64  # descriptors that go along
_FOLDER = "/dev/fd"  # of those that are open


def _descriptors() -> list[int]:
    """The standard streams, and what else this process was started with."""
    for number in (0, 1, 2):
        os.fstat(number)  # or the socket would have the number of one that is closed
    numbers = sorted(map(int, os.listdir(_FOLDER))) if os.path.isdir(_FOLDER) else [0, 1, 2]
    return [number for number in numbers if _is_open(number)]


def _is_open(number: int) -> bool:
    """Not so of the descriptor by which the folder was read."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _served(socket: str, module: str, arguments: list[str]) -> bytes:
    """The exit status as text, or ``DECLINED``; nothing where the program's process got lost."""
    try:
        descriptors = _descriptors()
        if len(descriptors) > MOST:
            return DECLINED
        request = marshal.dumps((module, arguments, os.getcwd(), dict(os.environ), descriptors))
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.connect(socket)
        numbers = b"".join(number.to_bytes(4, sys.byteorder) for number in descriptors)
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)
        connection.sendmsg([len(request).to_bytes(8, "big")], [rights])
        sent = 0
        while sent < len(request):
            sent += connection.send(request[sent:])
        return connection.recv(64)
    except OSError:  # no server, or a stream that is closed
        return DECLINED


def main() -> None:
    """End as the module does."""
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    socket, module, *arguments = sys.argv[1:]
    answer = _served(socket, module, arguments)
    if answer == DECLINED:
        os.execv(sys.executable, [sys.executable, "-P", "-m", module, *arguments])
    if not answer:
        sys.exit(f"the fork server lost {module}")
    status = int(answer)
    if status < 0:
        _signal.signal(-status, _signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main()
