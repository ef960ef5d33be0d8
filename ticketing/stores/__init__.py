"""Where tickets, judgments, jobs and codes live: one protocol, one contract suite."""
