//! Tests of jobs: two servers on a memory store. The tests control the handler and the clock.

use std::io;
use std::sync::atomic::AtomicUsize;

use flagfall_store::{Expect, Store, StoreMessage, Topic, Update, Write};
use flagfall_store_testing::{ManualClock, TestStore, WriteFault};
use futures_util::FutureExt;
use tokio::sync::Semaphore;
use tokio::time::{advance, timeout};

use super::*;
use crate::cluster::{BusMessage, MemberInfo, OTHERS_WAIT_MS, Peers};
use crate::keys::job_key;
use crate::transact::write;

const KIND: &str = "rating_due";

/// The behavior of the handler for a job.
#[derive(Clone, Copy)]
enum Way {
    Done,
    Damaged,
    Fails,
    Panics,
    TakesAndPanics,
    Away,
    Waits,
}

struct Scene {
    store: TestStore,
    clock: Arc<ManualClock>,
    ways: Arc<Mutex<HashMap<String, Way>>>,
    /// The number of attempts for each job.
    tries: Arc<Mutex<HashMap<String, usize>>>,
    /// The permits that let waiting handlers continue.
    gate: Arc<Semaphore>,
    most_at_once: Arc<AtomicUsize>,
}

impl Scene {
    fn new() -> Scene {
        let clock = Arc::new(ManualClock::new(Stamp(1_000_000)));
        Scene {
            store: TestStore::new(clock.clone()),
            clock,
            ways: Arc::default(),
            tries: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
            most_at_once: Arc::default(),
        }
    }

    fn server(&self, kind: JobKind) -> (JobWriter, Jobs) {
        self.server_among(kind, None)
    }

    fn server_among(&self, kind: JobKind, peers: Option<Peers>) -> (JobWriter, Jobs) {
        let (ways, tries, gate) = (self.ways.clone(), self.tries.clone(), self.gate.clone());
        let (at_once, most) = (Arc::new(AtomicUsize::new(0)), self.most_at_once.clone());
        let store = self.store.clone();
        let handler: Handler = Arc::new(move |mut claimed| {
            *tries.lock().entry(claimed.id().to_owned()).or_default() += 1;
            let way = ways.lock().get(claimed.id()).copied().unwrap_or(Way::Done);
            let (gate, store, at_once, most) = (gate.clone(), store.clone(), at_once.clone(), most.clone());
            async move {
                match way {
                    Way::Done => {}
                    Way::Damaged => return Err(JobError::Damaged("torn".to_owned())),
                    Way::Fails => return Err(JobError::Later("not yet".to_owned())),
                    Way::Panics => panic!("a defect"),
                    Way::TakesAndPanics => {
                        claimed.take(60_000).await?;
                        panic!("a defect after the record was changed");
                    }
                    Way::Away => return Err(JobError::Away("gone".to_owned())),
                    Way::Waits => {
                        most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        gate.acquire().await.unwrap().forget();
                        at_once.fetch_sub(1, Ordering::SeqCst);
                    }
                }
                let mut update = claimed.finish();
                let count = flagfall_store::Key::new(format!("count/{}", claimed.id())).unwrap();
                let before = store.get(count.clone()).await?.map_or(0, |value| value[0]);
                update.writes.push(Write::Put { key: count, value: vec![before + 1], expires: None });
                store.update(update).await?;
                Ok(())
            }
            .boxed()
        });
        let writer = JobWriter::default();
        let jobs = Jobs::new(Arc::new(self.store.clone()), writer.clone());
        let jobs = peers.into_iter().fold(jobs, Jobs::shared_among).with(kind, handler);
        (writer, jobs)
    }

    fn goes(&self, id: &str, way: Way) {
        self.ways.lock().insert(id.to_owned(), way);
    }

    async fn put(&self, id: &str, value: impl Into<Vec<u8>>) {
        let put = Write::Put { key: job_key(KIND, id).unwrap(), value: value.into(), expires: None };
        write(&self.store, vec![put]).await.unwrap();
    }

    async fn value(&self, id: &str) -> Option<Vec<u8>> {
        self.store.get(job_key(KIND, id).unwrap()).await.unwrap()
    }

    /// Returns the number of times that the work of a job was done.
    async fn done(&self, id: &str) -> u8 {
        let key = flagfall_store::Key::new(format!("count/{id}")).unwrap();
        self.store.get(key).await.unwrap().map_or(0, |value| value[0])
    }

    fn tries(&self, id: &str) -> usize {
        self.tries.lock().get(id).copied().unwrap_or_default()
    }

    fn now(&self) -> Stamp {
        self.store.now()
    }

    async fn dead(&self) -> Vec<DeadJob> {
        dead_jobs(&self.store).await.unwrap()
    }

    async fn retry(&self, kind: &str, id: &str) -> bool {
        let note = Write::Delete { key: job_key("nothing", "here").unwrap() };
        retry(&self.store, kind, id, &note).await.unwrap()
    }
}

#[tokio::test]
async fn a_job_of_this_server_is_done_without_a_further_write_and_left_alone_by_others() {
    let scene = Scene::new();
    let ((writer, own), (_, other)) = (scene.server(JobKind::new(KIND)), scene.server(JobKind::new(KIND)));
    scene.put("g", writer.job(scene.now())).await;
    other.run_due(KIND).await.unwrap();
    assert_eq!((scene.tries("g"), scene.value("g").await.is_some()), (0, true), "it is leased");
    // If the store refuses the work, the job is unchanged, because the same write does the
    // work and removes the job.
    let before = scene.value("g").await;
    scene.store.fail_next(WriteFault::Unavailable);
    own.run_due(KIND).await.unwrap();
    assert_eq!((scene.tries("g"), scene.done("g").await, scene.value("g").await), (1, 0, before));
    own.run_due(KIND).await.unwrap();
    assert_eq!((scene.tries("g"), scene.done("g").await, scene.value("g").await), (2, 1, None));
}

#[tokio::test]
async fn a_job_is_left_to_its_guardian_until_it_is_overdue() {
    let scene = Scene::new();
    let members: Arc<dyn Store> = Arc::new(TestStore::announcing(scene.clock.clone()));
    let peers = ["a", "b"].map(|id| Peers::new(members.clone(), id.to_owned(), None));
    for peers in [&peers[0], &peers[1], &peers[0]] {
        peers.meet(&MemberInfo::of_this_version()).await.unwrap();
    }
    assert!(members.follow(Topic::Server("b".into())).await);
    let mut told = members.notices().unwrap();
    let guarded =
        |peers: &Peers| (0..).map(|number| format!("g{number}")).find(|id| peers.guards(id)).unwrap();
    let ids = peers.each_ref().map(guarded);
    let [(_, a), (_, b)] = peers.map(|peers| scene.server_among(JobKind::new(KIND), Some(peers)));
    let due_now = || State { at: scene.now().0, ..State::default() }.over(b"");
    for id in &ids {
        scene.put(id, due_now()).await;
    }
    a.run_due(KIND).await.unwrap();
    assert_eq!((scene.done(&ids[0]).await, scene.tries(&ids[1])), (1, 0));
    let StoreMessage::Told(notice) = told.try_recv().unwrap() else { panic!("nothing was told") };
    let key = job_key(KIND, &ids[1]).unwrap();
    let expected = BusMessage::Due { keys: vec![format!("{KIND}/{}", ids[1])] };
    assert_eq!(serde_json::from_slice::<BusMessage>(&notice).unwrap(), expected);
    assert!(told.try_recv().is_err() && b.writer().wake_for_key(&key));
    b.run_due(KIND).await.unwrap();
    assert_eq!(scene.done(&ids[1]).await, 1);
    // The guardian of this job does nothing.
    scene.put(&ids[1], due_now()).await;
    scene.clock.advance_ms(OTHERS_WAIT_MS - 1);
    a.run_due(KIND).await.unwrap();
    assert_eq!(scene.done(&ids[1]).await, 1);
    scene.clock.advance_ms(1);
    a.run_due(KIND).await.unwrap();
    assert_eq!(scene.done(&ids[1]).await, 2);
}

#[tokio::test]
async fn a_job_of_a_dead_server_is_taken_over_when_its_lease_has_ended() {
    let scene = Scene::new();
    let ((writer, _), (_, other)) = (scene.server(JobKind::new(KIND)), scene.server(JobKind::new(KIND)));
    scene.put("g", writer.job(scene.now())).await;
    scene.clock.advance_ms(LEASE_MS - 1);
    other.run_due(KIND).await.unwrap();
    assert_eq!(scene.done("g").await, 0);
    scene.clock.advance_ms(1);
    other.run_due(KIND).await.unwrap();
    assert_eq!((scene.done("g").await, scene.value("g").await), (1, None));
}

#[tokio::test]
async fn jobs_of_version_0_1_are_done_whatever_their_value() {
    let scene = Scene::new();
    let (_, jobs) = scene.server(JobKind::new(KIND));
    for (id, value) in [("a", ""), ("b", "17"), ("c", "queued"), ("d", "\u{7f}")] {
        scene.put(id, value).await;
    }
    jobs.run_due(KIND).await.unwrap();
    for id in ["a", "b", "c", "d"] {
        assert_eq!((scene.done(id).await, scene.value(id).await), (1, None), "{id}");
    }
}

#[tokio::test]
async fn two_servers_do_a_job_once() {
    let scene = Scene::new();
    let ((_, one), (_, two)) = (scene.server(JobKind::new(KIND)), scene.server(JobKind::new(KIND)));
    for number in 0..20 {
        scene.put(&number.to_string(), "").await;
    }
    let held = scene.store.hold_appends().await;
    let release = async {
        // Both servers find the same jobs before either of them claims one.
        scene.store.wait_for_held(8).await;
        drop(held);
    };
    let (first, second, ()) = tokio::join!(one.run_due(KIND), two.run_due(KIND), release);
    assert_eq!((first, second), (Ok(()), Ok(())));
    for number in 0..20 {
        assert_eq!((scene.tries(&number.to_string()), scene.done(&number.to_string()).await), (1, 1));
    }
}

/// The log output.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_job_that_always_fails_blocks_no_other_and_ends_as_a_dead_letter_that_is_logged_twice() {
    for (way, tries_max) in [(Way::Damaged, 4), (Way::Fails, 12), (Way::Panics, 4)] {
        let scene = Scene::new();
        let lines = Lines::default();
        let writer = lines.clone();
        let logs = tracing_subscriber::fmt().with_writer(move || writer.clone());
        let _logging = tracing::subscriber::set_default(logs.finish());
        let (_, jobs) = scene.server(JobKind { at_once: 1, ..JobKind::new(KIND) });
        scene.put("bad", "").await;
        scene.put("good", "").await;
        scene.goes("bad", way);
        let mut looks = 0;
        while scene.dead().await.is_empty() {
            jobs.run_due(KIND).await.unwrap();
            assert_eq!(scene.done("good").await, 1, "after {looks} looks");
            scene.clock.advance_ms(1_000);
            looks += 1;
            assert!(looks < 10_000, "it is tried forever");
        }
        assert_eq!((scene.tries("bad"), scene.value("bad").await), (tries_max, None));
        assert!(looks > tries_max, "it waits longer and longer");
        let text = String::from_utf8(lines.0.lock().clone()).unwrap();
        let about = text.lines().filter(|line| line.contains("a job failed")).count();
        assert_eq!(about, 2, "{text}");
        let dead = &scene.dead().await[0];
        assert_eq!((dead.kind.as_str(), dead.id.as_str()), (KIND, "bad"));
        assert_eq!(dead.attempts, u32::try_from(tries_max).ok());
        assert!(dead.failed.unwrap().0 < dead.failed.unwrap().1);

        // The dead letter is unchanged until an operator retries it.
        scene.goes("bad", Way::Done);
        scene.clock.advance_ms(86_400_000);
        jobs.run_due(KIND).await.unwrap();
        assert_eq!((scene.tries("bad"), scene.done("bad").await), (tries_max, 0));
        assert!(scene.retry(KIND, "bad").await && !scene.retry(KIND, "bad").await);
        jobs.run_due(KIND).await.unwrap();
        assert_eq!((scene.done("bad").await, scene.dead().await), (1, vec![]));
    }
}

#[tokio::test]
async fn a_handler_that_panics_after_it_took_its_job_ends_as_a_dead_letter() {
    let scene = Scene::new();
    let (_, jobs) = scene.server(JobKind { leases_itself: true, ..JobKind::new(KIND) });
    scene.put("one", "").await;
    scene.goes("one", Way::TakesAndPanics);
    for _ in 0..100 {
        jobs.run_due(KIND).await.unwrap();
        // The server waits for the job's time, although the server itself holds the lease
        // on the job.
        let tries = scene.tries("one");
        jobs.run_due(KIND).await.unwrap();
        assert_eq!(scene.tries("one"), tries);
        scene.clock.advance_ms(600_000);
    }
    assert!(scene.tries("one") <= 4, "{} tries", scene.tries("one"));
    assert_eq!(scene.dead().await.len(), 1);
}

#[tokio::test]
async fn attempts_that_a_handler_counts_make_no_dead_letter() {
    let scene = Scene::new();
    let (_, jobs) = scene.server(JobKind { leases_itself: true, ..JobKind::new(KIND) });
    // The delivery of this job has failed five times, and then a different error occurs
    // once.
    scene.put("one", r#"{"attempts":5}"#).await;
    scene.goes("one", Way::Damaged);
    jobs.run_due(KIND).await.unwrap();
    let state = State::of(&scene.value("one").await.unwrap());
    assert_eq!((state.attempts, state.failures, scene.dead().await), (5, 1, vec![]));
}

#[tokio::test]
async fn an_operator_discards_a_dead_letter_that_may_be_damaged_itself() {
    let scene = Scene::new();
    let note = Write::Delete { key: job_key("nothing", "here").unwrap() };
    let discard = async |id: &str| super::discard(&scene.store, KIND, id, &note).await.unwrap();
    let put = |key: &str| Write::Put { key: job_key(key, "g").unwrap(), value: vec![0xff], expires: None };
    for aside in ["rating_aside", "dead_jobs/rating_due"] {
        write(&scene.store, vec![put(aside)]).await.unwrap();
        assert!(!discard("other").await && discard("g").await && !discard("g").await, "{aside}");
        assert_eq!((scene.dead().await, scene.value("g").await), (vec![], None));
    }
}

#[tokio::test]
async fn jobs_go_on_while_the_runner_reads_and_what_was_read_of_them_is_out_of_date() {
    let (done, waits) = tokio::sync::oneshot::channel();
    let key = job_key(KIND, "one").unwrap();
    let mut running = futures_util::stream::FuturesUnordered::new();
    let ended = key.clone();
    running.push(
        async move {
            done.send(()).unwrap();
            (ended, true)
        }
        .boxed(),
    );
    let (answer, ended) = super::runner::while_running(waits, &mut running).await;
    assert_eq!((answer, ended.contains(&key)), (Ok(()), true));
}

#[tokio::test]
async fn a_dead_letter_keeps_its_fields_and_gives_way_to_its_cause() {
    let scene = Scene::new();
    let (_, jobs) = scene.server(JobKind { has_fields: true, ..JobKind::new(KIND) });
    scene.put("torn", vec![0xff, 1]).await;
    scene.put("read", r#"{"who":"ana","attempts":11,"at":0}"#).await;
    scene.goes("read", Way::Fails);
    jobs.run_due(KIND).await.unwrap();
    assert_eq!((scene.tries("torn"), scene.dead().await.len()), (0, 2), "a torn record is never tried");
    assert!(scene.retry(KIND, "torn").await && scene.retry(KIND, "read").await);
    assert_eq!(scene.value("torn").await, Some(vec![0xff, 1]));
    let value: serde_json::Value = serde_json::from_slice(&scene.value("read").await.unwrap()).unwrap();
    assert_eq!((&value["who"], &value["attempts"]), (&"ana".into(), &0.into()));

    // The cause occurs again before the operator retries the dead letter.
    jobs.run_due(KIND).await.unwrap();
    scene.put("torn", "newer").await;
    assert!(scene.retry(KIND, "torn").await);
    assert_eq!(scene.value("torn").await, Some(b"newer".to_vec()));
}

#[tokio::test]
async fn dead_letters_of_version_0_1_are_listed_and_retried() {
    let scene = Scene::new();
    let (_, jobs) = scene.server(JobKind::new(KIND));
    let put =
        Write::Put { key: job_key("rating_aside", "g").unwrap(), value: b"torn".to_vec(), expires: None };
    write(&scene.store, vec![put]).await.unwrap();
    let dead = scene.dead().await;
    assert_eq!((dead[0].kind.as_str(), dead[0].id.as_str(), dead[0].error.as_str()), (KIND, "g", "torn"));
    assert!(scene.retry(KIND, "g").await);
    jobs.run_due(KIND).await.unwrap();
    assert_eq!((scene.done("g").await, scene.dead().await), (1, vec![]));
}

#[tokio::test]
async fn no_attempt_is_counted_while_the_store_is_away() {
    let scene = Scene::new();
    let (writer, jobs) = scene.server(JobKind::new(KIND));
    scene.put("g", writer.job(scene.now())).await;
    scene.goes("g", Way::Away);
    for _ in 0..50 {
        jobs.run_due(KIND).await.unwrap();
        scene.clock.advance_ms(1_000);
    }
    assert!(scene.tries("g") == 50 && scene.dead().await.is_empty());
    assert_eq!(State::of(&scene.value("g").await.unwrap()).attempts, 0);
    scene.goes("g", Way::Done);
    jobs.run_due(KIND).await.unwrap();
    assert_eq!(scene.done("g").await, 1);
}

#[tokio::test]
async fn so_many_jobs_run_at_once_of_a_kind_and_of_a_key() {
    for (at_once, per_key, most) in [(3, 10, 3), (10, 2, 4)] {
        let scene = Scene::new();
        let (_, jobs) = scene.server(JobKind { at_once, per_key, ..JobKind::new(KIND) });
        for id in ["a/1", "a/2", "a/3", "b/1", "b/2", "b/3"] {
            scene.put(id, "").await;
            scene.goes(id, Way::Waits);
        }
        let release = async {
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            scene.gate.add_permits(6);
        };
        let (settled, ()) = tokio::join!(jobs.run_due(KIND), release);
        settled.unwrap();
        assert_eq!(scene.most_at_once.load(Ordering::SeqCst), most);
        assert_eq!((scene.done("a/3").await, scene.done("b/3").await), (1, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_planned_stop_lets_jobs_finish_and_begins_no_more() {
    let scene = Scene::new();
    let (writer, jobs) = scene.server(JobKind::new(KIND));
    scene.goes("slow", Way::Waits);
    scene.put("slow", "").await;
    let mut running = Box::pin(jobs.run());
    let moment = Duration::from_millis(10);
    assert!(timeout(moment, &mut running).await.is_err());
    let mut finished = Box::pin(jobs.finish(&[KIND]));
    assert!((&mut finished).now_or_never().is_none());
    scene.put("late", writer.job(scene.now())).await;
    writer.wake(KIND);
    scene.gate.add_permits(1);
    assert!(timeout(moment, &mut running).await.is_err());
    assert!(finished.now_or_never().is_some());
    assert_eq!((scene.done("slow").await, scene.tries("late")), (1, 0));
}

#[tokio::test]
async fn a_job_of_a_server_without_a_runner_waits_for_no_lease() {
    let scene = Scene::new();
    let (_, jobs) = scene.server(JobKind::new(KIND));
    scene.put("g", JobWriter::new(false).job(scene.now())).await;
    jobs.run_due(KIND).await.unwrap();
    assert_eq!(scene.done("g").await, 1);
}

#[tokio::test(start_paused = true)]
async fn the_runner_looks_at_once_when_it_is_woken_and_every_few_seconds() {
    let scene = Scene::new();
    let (writer, jobs) = scene.server(JobKind::new(KIND));
    scene.put("slow", "").await;
    scene.goes("slow", Way::Waits);
    let wait = async |time: Duration| assert!(timeout(time, jobs.run()).await.is_err());
    let mut running = Box::pin(jobs.run());
    let moment = Duration::from_millis(10);
    assert!(timeout(moment, &mut running).await.is_err());
    // While one job hangs, other jobs are done.
    scene.put("own", writer.job(scene.now())).await;
    writer.wake(KIND);
    assert!(timeout(moment, &mut running).await.is_err());
    assert_eq!(scene.done("own").await, 1);
    scene.put("others", "").await;
    // A wake-up for one job does not make the runner read other jobs.
    scene.put("told", writer.job(scene.now())).await;
    writer.wake_for(KIND, job_key(KIND, "told").unwrap());
    assert!(timeout(moment, &mut running).await.is_err());
    assert_eq!((scene.done("told").await, scene.done("others").await), (1, 0));
    assert!(timeout(LOOK_EVERY, &mut running).await.is_err());
    assert_eq!((scene.done("others").await, scene.tries("slow")), (1, 1));
    // A job that was running when its runner stopped is done by the next run.
    drop(running);
    scene.gate.add_permits(1);
    advance(LOOK_EVERY).await;
    scene.clock.advance_ms(LEASE_MS);
    wait(LOOK_EVERY).await;
    assert_eq!(scene.done("slow").await, 1);
}

#[tokio::test]
async fn work_that_is_late_does_nothing_when_another_server_has_the_job() {
    let scene = Scene::new();
    let (writer, _) = scene.server(JobKind::new(KIND));
    scene.put("g", writer.job(scene.now())).await;
    let store: Arc<dyn Store> = Arc::new(scene.store.clone());
    let claimed = Claimed::now(&store, job_key(KIND, "g").unwrap()).await.unwrap().unwrap();
    assert!(claimed.is_held().await.unwrap());
    let Update { conditions, .. } = claimed.finish();
    assert!(matches!(&conditions[..], [(_, Expect::Value(_))]));
    // The same cause occurs again within the same millisecond.
    scene.put("g", writer.job(scene.now())).await;
    assert!(!claimed.is_held().await.unwrap());
    assert!(!claimed.clone().put_back(0).await.unwrap());
}
