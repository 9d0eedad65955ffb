"""The stage scripts, one verb a file; what they do is in steps/."""
