//! Tests of `name_hash_and_index_offset`.

use pvctl_core::controllers::provisioner::name_hash_and_index_offset;

/// The expected numbers are those of FNV-1, as its authors publish them.
#[test]
fn the_name_of_the_set_is_hashed() {
    assert_eq!(name_hash_and_index_offset(""), (0x811c_9dc5, 0));
    assert_eq!(name_hash_and_index_offset("a"), (0x050c_5d7e, 0));
    assert_eq!(name_hash_and_index_offset("data-a-3"), (0x050c_5d7e, 3));
    assert_eq!(name_hash_and_index_offset("a-3"), (0x050c_5d7e, 3));
}
