//! A deployment's ranks are private.

fn ranks_of(deployment: &flagfall_rules::Deployment) {
    let _ = &deployment.ranks;
}

fn main() {}
