//! Commands: shells, environments, bounded output, whole process groups ended.
