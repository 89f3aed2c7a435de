"""The illustrations of chapter 2: a shard of repetitions in, a data frame of records out."""
