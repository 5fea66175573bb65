"""Serves the local model over llama.cpp's OpenAI-compatible API on 127.0.0.1, and ends by itself when no user is left.

Arguments: the engine's folder, the weights, the model's name, port, threads, context size in tokens, and the folder in which
each process that uses the model leaves an empty file named by its number.
"""
import os
import sys
import time

# How long it stays after its last user has ended: a worker that was killed is back by then.
LINGERS_SECONDS = 60

package, model, name, port, threads, context, users = sys.argv[1:8]
sys.path.insert(0, package)
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {name}
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.ui = False
params.n_ctx = int(context)
params.n_parallel = 1
for cpu in (params.cpuparams, params.cpuparams_batch):
    cpu.n_threads = int(threads)
    cpu.poll = 0
server = xllamacpp.Server(params)


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


last_used = time.monotonic()
while os.name != "posix" or time.monotonic() - last_used < LINGERS_SECONDS:
    time.sleep(2)
    if os.name == "posix" and any(lives(int(file)) for file in os.listdir(users)):
        last_used = time.monotonic()
os._exit(0)
