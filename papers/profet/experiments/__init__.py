"""The chapter's experiments: a shard of repetitions in, a data frame of records out."""
