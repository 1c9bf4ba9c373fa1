//! Tests of `pvctl::repair::origin`.

use pvctl::repair::{Origin, Sameness};

#[test]
fn a_cluster_is_known_by_its_uid_and_else_by_its_address() {
    let of =
        |server: &str, uid: &str| Origin { server: server.to_owned(), uid: (!uid.is_empty()).then(|| uid.to_owned()) };
    for (one, other, same) in [
        (of("a", "1"), of("a", "1"), Sameness::Sure),
        (of("a", "1"), of("b", "1"), Sameness::Sure),
        (of("a", "1"), of("a", "2"), Sameness::None),
        (of("a", "1"), of("a", ""), Sameness::ByAddress),
        (of("a", ""), of("a", ""), Sameness::ByAddress),
        (of("a", "1"), of("b", ""), Sameness::None),
        (of("a", ""), of("b", ""), Sameness::None),
    ] {
        assert_eq!((one.sameness(&other), other.sameness(&one)), (same, same), "{one}; {other}");
    }
}
