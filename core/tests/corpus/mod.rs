//! What the fuzzer found worth keeping, from `core/fuzz/corpus`: an input on each line, in
//! hexadecimal; see `tests/ci/corpus.py`.

/// Each input with the number of its line, which names it when it fails.
pub(crate) fn inputs(text: &str) -> Vec<(usize, Vec<u8>)> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.starts_with('#'));
    lines
        .map(|(index, line)| (index + 1, bytes(line)))
        .collect()
}

fn bytes(line: &str) -> Vec<u8> {
    let pairs = line.as_bytes().chunks(2);
    pairs
        .map(|pair| digit(pair[0]) * 16 + digit(pair[1]))
        .collect()
}

fn digit(character: u8) -> u8 {
    let value = char::from(character).to_digit(16);
    value
        .and_then(|value| u8::try_from(value).ok())
        .expect("a hexadecimal digit")
}
