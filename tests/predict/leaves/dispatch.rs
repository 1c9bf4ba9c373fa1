//! D: how a key from a work queue is handled (`docs/controllers/machinery.md`).

use super::build::{claim, volume};
use super::case::{Lister, case};
use serde_json::json;

cases! {
    d1_the_key_cannot_be_read: case(&["D1"])
        .only_with("a key that no informer makes: names have no slash")
        .handles_volume_key("a/b/c", Lister::Gone)
        .expect(json!({"branch": "D1"}));

    d1_the_key_of_a_claim_cannot_be_read: case(&["D1"])
        .only_with("a key that no informer makes: names have no slash")
        .handles_claim_key("a/b/c", Lister::Gone)
        .expect(json!({"branch": "D1"}));

    d2_the_lister_fails: case(&["D2"])
        .only_with("a failing lister")
        .handles_volume_key("pv-1", Lister::Fails("the cache is gone"))
        .expect(json!({"branch": "D2", "error": "the cache is gone"}));

    d2_the_lister_of_claims_fails: case(&["D2"])
        .only_with("a failing lister")
        .handles_claim_key("a/c", Lister::Fails("the cache is gone"))
        .expect(json!({"branch": "D2", "error": "the cache is gone"}));

    d3_the_informer_is_behind: case(&["D3"])
        .only_with("a stale cache: the informer lags behind the controller's own writes")
        .volume(volume("pv-1").phase("Pending"))
        .handles_volume_key("pv-1", Lister::Present(Some("10"), "9"))
        .expect(json!({"branch": "D3"}));

    d3_the_informer_of_claims_is_behind: case(&["D3"])
        .only_with("a stale cache: the informer lags behind the controller's own writes")
        .claim(claim("c"))
        .handles_claim_key("a/c", Lister::Present(Some("20"), "9"))
        .expect(json!({"branch": "D3"}));

    // The uid of the claimRef does not matter.
    d4_a_claimed_volume_is_gone: case(&["D4"])
        .only_with("a deletion between two syncs")
        .handles_volume_key("pv-1", Lister::GoneVolume(Box::new(volume("pv-1").reserved_for("c").0)))
        .expect(json!({"branch": "D4", "enqueued": ["pvc/a/c"]}));

    d5_an_unclaimed_volume_is_gone: case(&["D5"])
        .only_with("a deletion between two syncs")
        .handles_volume_key("pv-1", Lister::GoneVolume(Box::new(volume("pv-1").0)))
        .expect(json!({"branch": "D5"}));

    d6_a_volume_is_gone_for_long: case(&["D6"])
        .only_with("a deletion that was handled before")
        .handles_volume_key("pv-1", Lister::Gone)
        .expect(json!({"branch": "D6"}));

    d6_a_claim_is_gone_for_long: case(&["D6"])
        .only_with("a deletion that was handled before")
        .handles_claim_key("a/c", Lister::Gone)
        .expect(json!({"branch": "D6"}));

    d7_a_bound_claim_is_gone: case(&["D7"])
        .only_with("a deletion between two syncs")
        .handles_claim_key("a/c", Lister::GoneClaim(Box::new(claim("c").bound_to("pv-1").0)))
        .expect(json!({"branch": "D7", "enqueued": ["pv/pv-1"]}));

    d8_an_unbound_claim_is_gone: case(&["D8"])
        .only_with("a deletion between two syncs")
        .handles_claim_key("a/c", Lister::GoneClaim(Box::new(claim("c").0)))
        .expect(json!({"branch": "D8"}));

    // storeObjectUpdate returns the error text of strconv.
    d9_the_version_is_no_number: case(&["D9"])
        .only_with("an object that no API server returns: its resource versions are numbers")
        .volume(volume("pv-1"))
        .handles_volume_key("pv-1", Lister::Present(Some("10"), "ten"))
        .expect(json!({
            "branch": "D9",
            "error": "error parsing ResourceVersion \"ten\" of volume \"pv-1\": strconv.ParseInt: parsing \"ten\": \
                      invalid syntax",
        }));

    d9_the_cached_version_is_no_number: case(&["D9"])
        .only_with("an object that no API server returns: its resource versions are numbers")
        .claim(claim("c"))
        .handles_claim_key("a/c", Lister::Present(Some("99999999999999999999"), "20"))
        .expect(json!({
            "branch": "D9",
            "error": "error parsing old ResourceVersion \"99999999999999999999\" of claim \"a/c\": strconv.ParseInt: \
                      parsing \"99999999999999999999\": value out of range",
        }));

    // An object with the same version is synced again. This is how the resync works.
    d10_the_object_is_synced: case(&["D10"])
        .volume(volume("pv-1").phase("Pending"))
        .handles_volume_key("pv-1", Lister::Present(Some("10"), "10"))
        .expect(json!({
            "branch": "V2",
            "steps": ["D10"],
            "writes": [{"updateStatus": "pv/pv-1", "patch": {"status": {"phase": "Available"}}}],
        }));

    d10_the_claim_is_synced: case(&["D10"])
        .claim(claim("c").names("pv-1"))
        .handles_claim_key("a/c", Lister::Present(None, "20"))
        .expect(json!({"branch": "C17", "steps": ["D10"]}));
}
