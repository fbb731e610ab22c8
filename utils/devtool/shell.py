"""Commands, printed before they run; failures with a message instead of a trace."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"


class Failure(Exception):
    """What `./dev` prints as `error: ...` before it exits with 1."""


def say(text):
    print(f"[dev] {text}", flush=True)


def run(command, what, environment=None, cwd=ROOT):
    """Runs a command, its output going to ours; raises Failure, named by `what`."""
    status = run_status(command, environment, cwd)
    if status != 0:
        raise Failure(f"{what} failed with exit status {status}: {shlex.join(map(str, command))}")


def run_status(command, environment=None, cwd=ROOT, limit=None):
    """Runs a command and returns its exit status: 127 when there is no such
    command, 124 when it ran longer than `limit` seconds and was ended."""
    command = [str(word) for word in command]
    say("$ " + shlex.join(shorten(word) for word in command))
    try:
        # A process group of its own, so that its children end with it.
        process = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(environment or {})},
                                   process_group=0 if limit else None)
    except (FileNotFoundError, PermissionError) as error:
        print(error, file=sys.stderr, flush=True)
        return 127
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        say(f"still running after {limit} seconds; ended")
        return 124
    finally:
        if process.returncode is None:
            if limit:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def succeeds(command):
    """Whether a command exists and exits with 0; it prints nothing."""
    try:
        return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def output_of(command):
    """What a command prints, or None when it fails."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError:
        return None
    return result.stdout if result.returncode == 0 else None


def shorten(path):
    """A path below the checkout, relative to it."""
    prefix = str(ROOT) + "/"
    return path[len(prefix):] if path.startswith(prefix) else path


def jobs():
    return os.cpu_count() or 1
