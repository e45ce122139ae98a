use super::*;

/// What `numpy.save` writes.
fn npy(descr: &str, order: &str, shape: &str, values: &[f32]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({shape}), }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(bytemuck::cast_slice::<f32, u8>(values));
    bytes
}

#[test]
fn reads_float32_and_names_what_else_it_found() {
    let two = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let parse = |bytes: &[u8]| parse(&mut &bytes[..], bytes.len() as u64);
    let matrix = parse(&npy("<f4", "False", "2, 3", &two)).unwrap();
    assert_eq!((matrix.len, matrix.dims, matrix.rows), (2, 3, two.to_vec()));
    for (bytes, said) in [
        (npy("<f8", "False", "2, 3", &two), "'<f8'"),
        (npy("<f4", "True", "2, 3", &two), "Fortran"),
        (npy("<f4", "False", "6,", &two), "shape is [6]"),
        (npy("<f4", "False", "2, 4", &two), "24 bytes for 2 x 4"),
        (npy("<f4", "False", "2, 3", &two)[..30].to_vec(), "header"),
        (b"PK".to_vec(), "no .npy"),
    ] {
        let error = parse(&bytes).err().unwrap();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn knows_the_given_questions_only() {
    let folder = tempfile::tempdir().unwrap();
    let (d, q) = (folder.path().join("d.npy"), folder.path().join("q.npy"));
    std::fs::write(&d, npy("<f4", "False", "2, 2", &[3.0, 4.0, 0.0, 2.0])).unwrap();
    std::fs::write(&q, npy("<f4", "False", "1, 2", &[1.0, 0.0])).unwrap();
    let given = Given::open(&d, &q, &["Who?"]).unwrap();
    let rows = given.passages(&[("", ""); 2], &|_| true).unwrap();
    assert_eq!(rows, [0.6, 0.8, 0.0, 1.0]);
    assert!(given.passages(&[("", ""); 3], &|_| true).is_err());
    assert_eq!(given.question("Who?").unwrap(), [1.0, 0.0]);
    let error = given.question("Why?").unwrap_err().to_string();
    assert!(
        error.contains("'Why?'") && error.contains("the 1 questions"),
        "{error}"
    );
    assert!(given.tokens(&["Who?"]).is_err());
    // What an index stores gives the same answers; the passages are taken once.
    let asked: Vec<f32> = given.asked().unwrap().to_vec();
    let identity = given.identity().clone();
    let again = Given::stored(identity.clone(), asked.into(), &["Who?"]).unwrap();
    assert_eq!(again.question("Who?").unwrap(), [1.0, 0.0]);
    assert!(Given::stored(identity, vec![1.0].into(), &["Who?"]).is_err());
    let mut given = given;
    assert_eq!(given.take_passages().unwrap().len, 2);
    assert!(given.passages(&[("", ""); 2], &|_| true).is_err());
    let error = Given::open(&d, &q, &["Who?", "Why?"]).err().unwrap();
    assert!(error.to_string().contains("q.npy"), "{error}");
}
