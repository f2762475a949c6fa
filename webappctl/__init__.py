"""Keeps one Deployment per WebApp, with a plan you can read first. Start reading at reconcile.py."""
