//! Making a failing run smaller.

/// The least of `items`, in their order, with which something still fails: no single one of it can go. `fails` runs it.
///
/// Delta debugging: halves are left out first, then quarters, then ever less, until single ones are and none can be.
pub fn minimise<T: Clone>(items: &[T], mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut kept = items.to_vec();
    let mut chunk = kept.len().div_ceil(2);
    while chunk > 0 {
        let before = kept.len();
        let mut start = 0;
        while start < kept.len() {
            let end = kept.len().min(start + chunk);
            let candidate = [&kept[..start], &kept[end..]].concat();
            if fails(&candidate) {
                kept = candidate;
            } else {
                start = end;
            }
        }
        // At single ones it goes round until nothing went.
        if chunk > 1 || kept.len() == before {
            chunk /= 2;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::minimise;

    #[test]
    fn keeps_only_what_is_needed_and_its_order() {
        let all: Vec<u32> = (0..100).collect();
        let mut runs = 0;
        let least = minimise(&all, |some| {
            runs += 1;
            let place = |wanted| some.iter().position(|one| *one == wanted);
            matches!((place(17), place(71)), (Some(a), Some(b)) if a < b)
        });
        assert_eq!(least, [17, 71]);
        assert!(runs < 100, "{runs} runs");
    }

    #[test]
    fn keeps_all_where_all_is_needed() {
        assert_eq!(minimise(&[1, 2, 3], |some| some.len() == 3), [1, 2, 3]);
        assert_eq!(minimise(&[1, 2, 3], |_| true), [0; 0]);
    }
}
