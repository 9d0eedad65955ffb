//! `#[derive(Label)]` writes a method `label` with the name of the type.

use proc_macro::{TokenStream, TokenTree};

#[proc_macro_derive(Label)]
pub fn label(item: TokenStream) -> TokenStream {
    let words: Vec<TokenTree> = item.into_iter().collect();
    let place = words
        .iter()
        .position(|word| word.to_string() == "struct")
        .expect("a struct");
    let name = words[place + 1].to_string();
    format!("impl {name} {{ pub fn label(&self) -> &'static str {{ {name:?} }} }}")
        .parse()
        .expect("Rust")
}
