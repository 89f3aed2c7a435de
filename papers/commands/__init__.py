"""What the command line does, one function per command: (papers, parsed options, console) -> exit status."""
