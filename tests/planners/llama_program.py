"""A llama.cpp server as a person would run it, with its own defaults; ends with its input.

Run it with a model file and a number of slots; it prints its address once it has loaded.
"""

import os
import sys

import xllamacpp


def main() -> None:
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.model_alias = {"tiny"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = int(sys.argv[2])
    params.n_ctx = 2048 * params.n_parallel
    params.n_batch = params.n_ubatch = 64  # so that a stop is seen within a fraction of a second
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
    params.cache_ram_mib = 0
    params.warmup = False
    server = xllamacpp.Server(params)
    os.write(answers, server.listening_address.encode() + b"\n")
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
