"""Experiments of chapter 7: a shard of repetitions in, records out."""
