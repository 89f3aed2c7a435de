"""What the command line does, one function per command: (catalogue, parsed options, console) -> exit status."""

KEPT = "interrupted; finished shards are kept, and the same command continues from there"
