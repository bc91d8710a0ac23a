"""The pool's threads and the ends of processes: forks at any time, and interpreters that end."""

from __future__ import annotations

import pool_children
import pytest


@pytest.mark.parametrize("threads", [2, 6])
def test_forks_right_behind_calls(threads: int) -> None:
    """Workers then sleep, wake or look for a job; a child has to go on without any of them."""
    output = pool_children.run(
        """
    old = [shlo_tools.compile(TEXT, threads=n) for n in (None, 2, 1)]
    expected = old[0](x, y)
    failed = 0
    for number in range(60):
        for executable in old[: 1 + number % 3]:
            executable(x, y)
        time.sleep((number % 8) * 1e-4)  # about when workers give up looking
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            same = all(np.array_equal(one(x, y), expected) for one in old * 2)
            os._exit(0 if same else 1)
        failed += os.waitpid(child, 0)[1] != 0
    print(failed, all(np.array_equal(one(x, y), expected) for one in old))
    """,
        threads=threads,
    )
    assert output == "0 True\n"


def test_forks_while_other_threads_compute() -> None:
    """The pool is theirs at that moment, and jobs are half done: in the child they do not exist."""
    output = pool_children.run("""
    old = [shlo_tools.compile(TEXT, threads=n) for n in (None, 2)]
    expected = old[0](x, y)
    done = threading.Event()

    def work():
        while not done.is_set():
            old[0](x, y)

    callers = [threading.Thread(target=work) for _ in range(3)]
    for caller in callers: caller.start()
    failed = 0
    for _ in range(40):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            same = all(np.array_equal(one(x, y), expected) for one in old * 2)
            os._exit(0 if same else 1)
        failed += os.waitpid(child, 0)[1] != 0
    done.set()
    for caller in callers: caller.join()
    print(failed)
    """)
    assert output == "0\n"


def test_a_child_has_threads_again() -> None:
    output = pool_children.run("""
    from shlo_tools.cpu.process_library import threads
    executable = shlo_tools.compile(TEXT)
    expected = executable(x, y)
    child = os.fork()
    if child == 0:
        same = np.array_equal(executable(x, y), expected)
        os._exit(0 if same and len(threads._pool._threads) == 3 else 1)
    print(os.waitpid(child, 0)[1])
    """)
    assert output == "0\n"


LONG = """
func.func @main(%n: tensor<i32>, %x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<512x512xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %p = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0]
        : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
      %z = stablehlo.tanh %p : tensor<512x512xf32>
      stablehlo.return %j, %z : tensor<i32>, tensor<512x512xf32>
    }
  return %0#1 : tensor<512x512xf32>
}"""


@pytest.mark.parametrize("limit", ["1", "None"])
def test_forks_of_signal_handlers(limit: str) -> None:
    """In the middle of a call: the child's call ends right or with an error, the parent's right.

    Which one it is depends on whether threads had a part of the job that was open.
    """
    output = pool_children.run(f"""
    LONG = {LONG!r}
    executable = shlo_tools.compile(LONG, threads={limit})
    z = random.standard_normal((512, 512)).astype(np.float32) / 40
    n = np.int32(60)
    expected = executable(n, z)
    parent, children = os.getpid(), []

    def fork(number, frame):
        if os.getpid() == parent:
            child = os.fork()
            if child == 0:
                signal.alarm(60)
            else:
                children.append(child)

    signal.signal(signal.SIGVTALRM, fork)
    for _ in range(4):
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.02)
        try:
            right = np.array_equal(executable(n, z), expected)
        except shlo_tools.ShloError as error:
            right = "forked" in str(error) and os.getpid() != parent
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if os.getpid() != parent:
            again = np.array_equal(executable(n, z), expected)
            os._exit(0 if right and again else 1)
        assert right
    print(len(children) > 0, [os.waitpid(child, 0)[1] for child in children])
    """)
    words = output.split(maxsplit=1)
    assert words[0] == "True" and set(words[1].strip("[]\n").split(", ")) == {"0"}


@pytest.mark.parametrize("limit", ["1", "2", "None"])
def test_interpreters_end_while_threads_call(limit: str) -> None:
    """Daemon threads are in the middle of jobs; functions that run at exit still call programs."""
    for _ in range(3):
        output = pool_children.run(f"""
        executable = shlo_tools.compile(TEXT, threads={limit})
        expected = executable(x, y)
        atexit.register(lambda: print(np.array_equal(executable(x, y), expected), flush=True))

        def work():
            while True:
                executable(x, y)

        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.05)
        """)
        assert output == "True\n"


def test_a_pool_without_calls_ends() -> None:
    """Workers that sleep are woken to end."""
    output = pool_children.run("""
    executable = shlo_tools.compile(TEXT)
    executable(x, y)
    time.sleep(0.1)
    print("ends")
    """)
    assert output == "ends\n"
