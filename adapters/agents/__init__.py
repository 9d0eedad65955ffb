"""Plug-ins: one thing per file, registered in `adapters/__init__.py`."""
