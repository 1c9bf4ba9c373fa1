//! Problems that remain after a restore from a backup, an upgrade, or a move to another cluster.

crate::diagnosis::rules::section! {
    restore_stale_uids,
    migration_annotation_orphan,
    migration_provisioned_by_csi_on_intree,
}
