// profiled: 22,820 calls of fib by four threads, 11,412 of leaf, one of a method; built by e2e/compilers.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static N_FIB: AtomicU64 = AtomicU64::new(0);
static N_LEAF: AtomicU64 = AtomicU64::new(0);

#[inline(never)]
fn leaf(n: u64) -> u64 {
    N_LEAF.fetch_add(1, Relaxed);
    n * 3
}

#[inline(never)]
fn fib(n: u64) -> u64 {
    N_FIB.fetch_add(1, Relaxed);
    if n < 2 { leaf(n) } else { fib(n - 1) + fib(n - 2) }
}

struct Tree;

impl Tree {
    #[inline(never)]
    fn grow(&self, n: u64) -> u64 {
        fib(n)
    }
}

fn main() {
    let threads: Vec<_> = (10..13).map(|n| std::thread::spawn(move || fib(n))).collect();
    Tree.grow(20);
    for thread in threads {
        thread.join().unwrap();
    }
    println!("COUNT fib {}", N_FIB.load(Relaxed));
    println!("COUNT leaf {}", N_LEAF.load(Relaxed));
    println!("COUNT grow 1");
}
