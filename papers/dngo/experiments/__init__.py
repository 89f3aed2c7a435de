"""DNGO's experiments: a shard of repetitions in, records out."""
