"""python -m webappctl"""

from webappctl.cli import main

if __name__ == "__main__":
    main()
