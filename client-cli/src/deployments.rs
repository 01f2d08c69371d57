//! Deployments as texts and in the editor.

pub mod editor;
pub mod text;
