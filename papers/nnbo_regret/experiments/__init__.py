"""The experiments of Brofos et al.: a shard of repetitions in, records out."""
