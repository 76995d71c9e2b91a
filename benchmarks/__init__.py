"""Speed and memory, each beside a named peer in the same run."""
