//! Tests the files for operators in `deploy/` and `docs/operating/`, as far as one machine
//! allows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::{env, fs};

use flagfall_e2e::{Process, Redis, Server, Site, client_program, command, deploy, get, server_program};
use flagfall_tests::Chance;
use serde_json::Value;

use crate::crash::play_through_kills;
use crate::duel::Duel;

fn text(file: &str) -> String {
    fs::read_to_string(deploy().join(file)).expect("a file of deploy/")
}

/// The text of a file, by its path in the repository.
fn page(file: &str) -> String {
    fs::read_to_string(deploy().join("..").join(file)).expect("a file of the repository")
}

/// The paths and texts of the pages for operators.
fn operating() -> Vec<(String, String)> {
    let folder = fs::read_dir(deploy().join("../docs/operating")).expect("the folder of the pages");
    let names = folder.map(|file| file.expect("a page").file_name().into_string().expect("a name"));
    let pages: Vec<_> =
        names.map(|name| format!("docs/operating/{name}")).map(|path| (path.clone(), page(&path))).collect();
    assert!(pages.len() > 5, "{} pages", pages.len());
    pages
}

/// Returns every word that begins with this prefix.
fn words(text: &str, start: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = text.split(|letter: char| !is_part(letter));
    words.filter(|word| word.starts_with(start)).map(str::to_owned).collect()
}

#[test]
fn the_redis_of_deploy_gives_a_server_the_rights_it_needs() {
    play_through_kills(&Site::with_deployed_redis());
}

#[test]
fn a_store_on_the_redis_of_deploy_is_checked_and_exported() {
    let site = Site::with_deployed_redis();
    drop(site.serve());
    for words in [&["store", "check"][..], &["store", "export", "out"]] {
        Process::start("store", site.server_command(0).args(words)).ended().expect(0, &[]);
    }
}

#[test]
fn a_backup_is_taken_while_a_game_is_played_and_restored() {
    let site = Site::with_deployed_redis();
    let redis = site.redis().expect("a Redis");
    let export = |redis: &Redis, file: &str| {
        let mut store = site.server_command(0);
        store.env("FLAGFALL_STORE", redis.url()).args(["store", "export", file]);
        Process::start("store", &mut store).ended().expect(0, &[]);
        fs::read(site.path().join(file)).expect("an export")
    };
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(5));
    duel.play_quietly(6);
    let file = site.path().join("games.rdb");
    redis.back_up(&file);
    duel.play_quietly(1);
    let id = duel.id.clone();
    drop((duel, server));
    let folder = site.path().join("restored");
    Redis::restore(&file, &folder);
    let restored = redis.start_beside(site.path(), &folder);
    let mut check = site.server_command(0);
    check.env("FLAGFALL_STORE", restored.url()).args(["store", "check"]);
    Process::start("store", &mut check).ended().expect(0, &[]);
    let (now, then) = (export(redis, "now"), export(&restored, "then"));
    assert!(then.len() < now.len(), "one move was played after the backup");
    let server_on_it = site.serve_on(&restored);
    let game = get(server_on_it.address, &format!("/api/games/{id}")).body;
    assert!(game.contains(r#""ply":6"#), "{game}");
}

#[test]
fn an_invalid_backup_is_reported_and_leaves_no_files() {
    let site = Site::new();
    let (file, folder) = (site.path().join("games.rdb"), site.path().join("restored"));
    fs::write(&file, "REDIS").expect("a file");
    for _ in 0..2 {
        Redis::try_restore(&file, &folder).expect(1, &["does not read"]);
    }
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), 0);
}

/// Returns the lines of an export, except the first, which contains the time of the export.
fn contents(site: &Site, file: &str) -> Vec<String> {
    Process::start("store", site.server_command(0).args(["store", "export", file])).ended().expect(0, &[]);
    let text = fs::read_to_string(site.path().join(file)).expect("an export");
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn games_are_checked_and_exported_with_the_rights_of_deploy() {
    let site = Site::with_deployed_redis();
    let mut server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "10+0", Chance::seed_or(5));
    duel.play_quietly(20);
    let turn = duel.mirror.turn().expect("a running game");
    duel.clients[turn].type_line("resign yes");
    duel.expect("resigned.");
    let running = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(6));
    let record = |server: &Server| get(server.address, &format!("/api/games/{}/record", duel.id)).body;
    let before = record(&server);
    assert!(before.contains("resign"), "{before}");
    server.kill();
    assert!(contents(&site, "export").len() > 40);
    Process::start("store", site.server_command(0).args(["store", "check"]))
        .ended()
        .expect(0, &["no errors found"]);
    let server = site.serve();
    assert_eq!(record(&server), before);
    server.run_client(&site, "cat", &["record", &duel.id]).expect(0, &["Red deployed:", "Blue deployed:"]);
    drop(running);
}

#[test]
fn a_server_is_asked_for_its_health() {
    let site = Site::new();
    let mut server = site.serve();
    let port = server.address.port();
    let ask = || Process::start("health", site.server_command(port).arg("health")).ended();
    ask().expect(0, &["\"status\":\"ok\""]);
    let address = server.address.to_string();
    Process::run(command(&server_program()).args(["health", "--listen", &address]))
        .expect(0, &["\"status\":\"ok\""]);
    server.kill();
    ask().expect(1, &["no server answers on 127.0.0.1:"]);
}

#[test]
fn deploy_names_settings_that_exist() {
    let help = Process::start("help", command(&server_program()).arg("--help")).ended().said;
    let mut known = words(&help, "FLAGFALL_");
    assert!(known.contains("FLAGFALL_LISTEN"), "{help}");
    // Also allow settings of players, because the files mention them.
    let help = Process::start("help", command(&client_program()).args(["play", "--help"])).ended().said;
    known.extend(words(&help, "FLAGFALL_"));
    // Settings of compose.yml, and of the script that creates its passwords.
    let own =
        ["FLAGFALL_REDIS_PASSWORD", "FLAGFALL_REDIS_OPERATOR_PASSWORD", "FLAGFALL_RELAYS", "FLAGFALL_SITE"];
    for file in [
        "Dockerfile",
        "compose.yml",
        "compose.cluster.yml",
        "Caddyfile",
        "setup",
        "kubernetes/flagfall.yaml",
        "systemd/flagfall-backup.service",
        "systemd/flagfall-server.service",
        "systemd/flagfall-server@.service",
        "flagfall-server.toml",
        "README.md",
    ] {
        for name in words(&text(file), "FLAGFALL_") {
            assert!(known.contains(&name) || own.contains(&name.as_str()), "{file}: {name} is no setting");
        }
    }
    let mut pages = operating();
    pages.extend(["README.md", "docs/client.md", "docs/proof.md"].map(|path| (path.to_owned(), page(path))));
    for (path, text) in pages {
        for name in words(&text, "FLAGFALL_") {
            assert!(known.contains(&name) || own.contains(&name.as_str()), "{path}: {name} is no setting");
        }
    }
}

/// The limits cover headers, bodies, idle time, and connections to each server.
#[test]
fn the_proxy_limits_what_clients_send_and_how_long_they_wait() {
    let proxy = text("Caddyfile");
    for limit in
        ["max_header_size 16KB", "max_size 16KB", "idle 75s", "read_header 5s", "max_conns_per_host 60000"]
    {
        assert!(proxy.lines().any(|line| line.trim() == limit), "{limit}");
    }
    let ingress = text("kubernetes/flagfall.yaml");
    for limit in ["proxy-body-size: \"16k\"", "proxy-read-timeout: \"75\"", "max-worker-connections"] {
        assert!(ingress.contains(limit), "{limit}");
    }
}

#[test]
fn alerts_dashboard_and_pages_name_metrics_that_exist() {
    let known = words(&page("server/base/src/telemetry.rs"), "flagfall_");
    for file in ["prometheus/alerts.yml", "grafana/dashboards/flagfall.json"] {
        let asked = words(&text(file), "flagfall_");
        assert!(asked.len() > 5);
        for name in asked {
            let base = ["_bucket", "_count", "_sum"].iter().find_map(|end| name.strip_suffix(end));
            assert!(known.contains(base.unwrap_or(&name)), "{file}: {name} is no metric");
        }
    }
    for (path, text) in operating() {
        // Other names also begin with `flagfall_`: volumes of Compose, and modules in log filters.
        for name in
            words(&text.replace("volume rm flagfall_", "").replace("flagfall_services::", ""), "flagfall_")
        {
            assert!(known.contains(&name), "{path}: {name} is no metric");
        }
    }
}

/// Each section says how urgent the alert is, what players notice, and what to do.
#[test]
fn the_runbook_has_a_section_for_each_alert_and_for_nothing_else() {
    let rules = text("prometheus/alerts.yml");
    let alerts: BTreeMap<&str, &str> = rules
        .split("alert: ")
        .skip(1)
        .map(|rule| {
            let severity = rule.split_once("severity: ").and_then(|(_, rest)| rest.split_once(' '));
            (rule.lines().next().expect("a name").trim(), severity.expect("a severity").0)
        })
        .collect();
    assert!(alerts.len() > 5);
    let runbook = page("docs/operating/alerts.md");
    let mut sections: BTreeMap<&str, &str> =
        runbook.split("\n## ").skip(1).filter_map(|section| section.split_once('\n')).collect();
    assert!(sections.remove("Before you start").is_some());
    assert!(sections.keys().eq(alerts.keys()), "{:?}, alerts: {:?}", sections.keys(), alerts.keys());
    for (alert, severity) in alerts {
        let urgency = format!("**Severity:** {severity}. ");
        for part in [urgency.as_str(), "\n**Players:** ", "\n**Do:**"] {
            assert_eq!(sections[alert].matches(part).count(), 1, "{alert}: {part:?}");
        }
        let row = format!("\n| [{alert}](#{}) | {severity} | ", alert.to_lowercase());
        assert_eq!(runbook.matches(&row).count(), 1, "{alert} in the table");
    }
}

/// The program of this name, if it is installed.
fn tool(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// Every alert must have a test, and the tests must pass. Without `promtool`, the tests are not
/// run.
#[test]
fn alerts_fire_for_what_they_are_for() {
    let tests = "prometheus/alerts.test.yml";
    for alert in text("prometheus/alerts.yml").lines().filter_map(|line| line.split_once("alert: ")) {
        assert!(text(tests).contains(&format!("alertname: {}\n", alert.1)), "nothing tries {}", alert.1);
    }
    let Some(promtool) = tool("promtool") else { return eprintln!("skipped: there is no promtool here") };
    let run = |words: &[&str], file: &str| {
        Process::run(command(&promtool).args(words).arg(deploy().join(file))).expect(0, &["SUCCESS"]);
    };
    run(&["test", "rules"], tests);
    run(&["check", "config"], "prometheus/prometheus.yml");
}

/// Every panel must have a query that Prometheus can parse. Without `promtool`, the queries are
/// not parsed.
#[test]
fn the_dashboard_asks_what_prometheus_understands() {
    let dashboard: Value = serde_json::from_str(&text("grafana/dashboards/flagfall.json")).expect("JSON");
    let queries: Vec<&str> = dashboard["panels"]
        .as_array()
        .expect("panels")
        .iter()
        .flat_map(|panel| {
            let targets = panel["targets"].as_array().filter(|targets| !targets.is_empty());
            targets.unwrap_or_else(|| panic!("a panel without a query: {}", panel["title"]))
        })
        .map(|target| target["expr"].as_str().expect("a query"))
        .collect();
    assert!(queries.len() > 30, "{queries:?}");
    let source = text("grafana/provisioning/datasources/prometheus.yml");
    for panel in dashboard["panels"].as_array().expect("panels") {
        let asked = panel["datasource"]["uid"].as_str().expect("a data source");
        assert!(source.contains(&format!("uid: {asked}\n")), "{asked} is not provisioned");
    }
    let Some(promtool) = tool("promtool") else { return eprintln!("skipped: there is no promtool here") };
    let rules = queries.iter().enumerate().map(
        |(number, query)| serde_json::json!({ "record": format!("query_{number}"), "expr": query, "labels": {} }),
    );
    let rules =
        serde_json::json!({ "groups": [{ "name": "dashboard", "rules": rules.collect::<Vec<_>>() }] });
    let site = Site::new();
    let file = site.path().join("dashboard.yml");
    fs::write(&file, rules.to_string()).expect("rules");
    Process::run(command(&promtool).args(["check", "rules"]).arg(&file)).expect(0, &["SUCCESS"]);
}

/// Panels must sum by labels that their metrics have, and show these labels in their legends.
///
/// With a wrong label, a panel would show one line without a name.
#[test]
fn the_dashboard_goes_by_labels_that_metrics_have() {
    let site = Site::with_redis();
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "10+0", Chance::seed_or(5));
    duel.play_quietly(2);
    let metrics = get(server.metrics, "/metrics").body;
    let dashboard: Value = serde_json::from_str(&text("grafana/dashboards/flagfall.json")).expect("JSON");
    let mut tried = 0;
    for target in dashboard["panels"]
        .as_array()
        .expect("panels")
        .iter()
        .flat_map(|panel| panel["targets"].as_array().expect("targets"))
    {
        let (query, legend) = (target["expr"].as_str().expect("a query"), target["legendFormat"].as_str());
        let by = query
            .split("by (")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
            .flat_map(|(by, _)| by.split(", "));
        let shown = legend
            .into_iter()
            .flat_map(|legend| legend.split("{{").skip(1))
            .filter_map(|rest| rest.split_once("}}"));
        // These labels are always allowed: Prometheus adds `instance`, and buckets have `le`.
        let labels: BTreeSet<&str> = by
            .chain(shown.map(|(label, _)| label))
            .filter(|label| !["instance", "le"].contains(label))
            .collect();
        for name in words(query, "flagfall_") {
            // A metric is missing from the output until its first event.
            let is_of_it =
                |line: &&str| line.strip_prefix(&name).is_some_and(|rest| rest.starts_with(['{', ' ']));
            for line in metrics.lines().filter(is_of_it) {
                for label in &labels {
                    tried += 1;
                    assert!(line.contains(&format!("{label}=\"")), "{query}: no {label} in {line}");
                }
            }
        }
    }
    assert!(tried > 8, "{tried}");
}

/// The name of the base image contains the version of the toolchain.
#[test]
fn the_image_is_built_by_the_toolchain_of_the_repository() {
    let toolchain = fs::read_to_string(deploy().join("../rust-toolchain.toml")).expect("the toolchain");
    let channel = toolchain.lines().find_map(|line| line.strip_prefix("channel = \"")?.strip_suffix('"'));
    let (version, _) = channel.and_then(|channel| channel.rsplit_once('.')).expect("a version");
    assert!(text("Dockerfile").contains(&format!("FROM docker.io/library/rust:{version}-")), "{version}");
    assert!(text("Dockerfile.dockerignore").lines().any(|line| line == "rust-toolchain.toml"));
}

/// The manifests must fit the published schemas and must not have unknown fields. Skipped without
/// `kubernetes-validate`, a Python package.
#[test]
fn kubernetes_knows_every_field_of_the_manifests() {
    let Some(validate) = tool("kubernetes-validate") else {
        return eprintln!("skipped: there is no kubernetes-validate here");
    };
    let files =
        fs::read_dir(deploy().join("kubernetes")).expect("a folder").map(|file| file.expect("a file").path());
    Process::run(command(&validate).arg("--strict").args(files))
        .expect(0, &["deployment/flagfall", "statefulset/redis"]);
}

/// Operators must create the namespace first, because Kubernetes cannot create anything in a
/// missing namespace.
#[test]
fn the_namespace_has_a_file_of_its_own_and_everything_else_is_in_it() {
    assert!(text("kubernetes/namespace.yaml").contains("kind: Namespace"));
    for file in ["kubernetes/flagfall.yaml", "kubernetes/redis.yaml"] {
        let text = text(file);
        assert!(!text.contains("kind: Namespace"), "{file}");
        assert_eq!(
            text.matches("\nkind: ").count(),
            text.matches("\n  namespace: flagfall\n").count(),
            "{file}"
        );
        assert!(text.contains("kubectl apply -f deploy/kubernetes/namespace.yaml"), "{file}");
    }
}

/// A server cannot start while Redis loads its data, for example, so it must be restarted until
/// it can.
#[test]
fn services_are_restarted_without_limit() {
    for file in ["systemd/flagfall-server.service", "systemd/flagfall-server@.service"] {
        let text = text(file);
        assert!(
            text.contains("\nStartLimitIntervalSec=0\n") && text.contains("\nRestart=on-failure\n"),
            "{file}"
        );
    }
}

/// Passwords and backups are in the folder from which the image is built, and must not get into
/// the image.
#[test]
fn secrets_stay_out_of_the_image_and_of_the_repository() {
    let (built, kept) = (text("Dockerfile.dockerignore"), text(".gitignore"));
    for secret in [".env", "redis/users.acl", "backups"] {
        assert!(built.lines().any(|line| line == format!("deploy/{secret}")), "{secret}");
        assert!(kept.lines().any(|line| line == secret), "{secret}");
    }
}

/// Without a trusted proxy, all players would seem to have the proxy's address and would share
/// its limits.
#[test]
fn servers_behind_a_proxy_count_addresses_of_players() {
    for file in ["compose.yml", "kubernetes/flagfall.yaml", "systemd/flagfall-server@.service"] {
        let text = text(file);
        let mut lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        assert!(lines.any(|line| line.contains("FLAGFALL_TRUST_PROXY") && line.contains("true")), "{file}");
    }
}

/// Without an archive, finished games would fill the memory of Redis.
#[test]
fn servers_on_a_redis_have_an_archive() {
    for file in ["compose.yml", "kubernetes/flagfall.yaml"] {
        let text = text(file);
        let mut lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        assert!(lines.any(|line| line.contains("FLAGFALL_ARCHIVE")), "{file}");
    }
}
