//! Deployments as texts, and the deployment editor.

pub mod editor;
pub mod text;
