"""Experiments of chapter 5: a shard of repetitions in, records out."""
