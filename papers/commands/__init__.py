"""What the command line does, one function a command: (catalogue, parsed options, console) -> exit status."""

KEPT = "interrupted; finished shards are kept, the same command goes on from there"
