//! What a host names by small numbers.

use bulkheads_engine::Handles;

#[test]
fn a_handle_names_its_value_until_it_is_removed() {
    let mut handles = Handles::new();
    let [one, two] = ["one", "two"].map(|value| handles.insert(value));
    assert_eq!(
        (handles.get(one), handles.get(two)),
        (Some(&"one"), Some(&"two"))
    );
    *handles.get_mut(two).expect("a value") = "2";
    assert_eq!(handles.remove(one), Some("one"));
    assert_eq!(handles.get(one), None);
    assert_eq!(handles.get_mut(one), None);
    assert_eq!(handles.remove(one), None, "once");
    assert_eq!(handles.get(two), Some(&"2"));
}

/// Otherwise a host that makes and drops bulkheads for years would run out of them.
#[test]
fn the_number_of_a_removed_handle_is_given_out_again() {
    let mut handles = Handles::default();
    let kept = handles.insert(0);
    let mut given = [(); 100].map(|()| {
        let handle = handles.insert(1);
        handles.remove(handle);
        handle
    });
    given.sort_unstable();
    assert_eq!(given[0], given[99]);
    assert_ne!(given[0], kept);
}

#[test]
fn zero_and_numbers_that_were_never_given_out_name_nothing() {
    let mut handles = Handles::new();
    handles.insert(());
    for number in [0, 2, u32::MAX] {
        assert_eq!(handles.get(number), None);
        assert_eq!(handles.remove(number), None);
    }
}
