//! What a restore from a backup, an upgrade or a move to another cluster leaves behind.

crate::diagnosis::rules::section! {
    restore_stale_uids,
    migration_annotation_orphan,
}
