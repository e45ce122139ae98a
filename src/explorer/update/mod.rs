//! The only writer of the state. Pure: it touches no terminal, no clock and no file; what the world has to do for it
//! comes back as effects.

pub(crate) mod ask;
mod browse;
mod copy;
pub(crate) mod export;
mod field;
mod filtering;
pub(crate) mod finder;
mod fix;
mod keys;
pub(crate) mod label;
pub(crate) mod lesson;
mod listed;
mod mouse;
pub(crate) mod moves;
pub(crate) mod patch;
mod pins;
mod seeds;
pub mod session;
pub(crate) mod settings;
mod start;
mod sweep;

pub use copy::{copied, shell};
pub use settings::show_parameter;

use super::action::{Action, Effect, Message, Then};
use super::available::available;
use super::command::Command;
use super::jobs::{self, build, doctor, hunt, learn, open, repair, reply};
use super::layout::{Pane, View};
use super::state::{FinderKind, Held, Mode, State};
use crate::explain::Format;

/// Messages that are kept.
const SAID: usize = 200;

/// Takes an action in and gives back what the caller has to do.
pub fn update(state: &mut State, action: Action) -> Vec<Effect> {
    let mut effects = take(state, action);
    while let Some(at) = effects.iter().position(|e| matches!(e, Effect::Then(_))) {
        if let Effect::Then(next) = effects.remove(at) {
            effects.splice(at..at, follow(state, next));
        }
    }
    let said = &state.message;
    if !said.text.is_empty() && state.said.front() != Some(said) {
        state.said.push_front(said.clone());
        state.said.truncate(SAID);
    }
    effects
}

/// Does what news of a job lead to.
fn follow(state: &mut State, next: Then) -> Vec<Effect> {
    match next {
        Then::Answered => {
            let answer = state.asking.latest().cloned();
            let mut effects = answer.map_or_else(Vec::new, |answer| ask::answered(state, answer));
            effects.extend(lesson::advance(state));
            return effects;
        }
        Then::About(question, passage) => return ask::about(state, question, passage),
        Then::Method(name) => return settings::method(state, &name),
        Then::List(kind) => return finder::open(state, kind),
        Then::TakeBack => settings::take_back(state),
        Then::Found(matches) => return finder::found(state, matches),
        Then::Looked(places) => finder::looked(state, &places),
        Then::Queue => return label::changed(state),
        Then::Learned(tuned, gain) => return settings::learned(state, tuned, &gain),
        Then::Told(message) => state.message = message,
    }
    Vec::new()
}

fn take(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Do(command) => run(state, command),
        Action::Key(key) => keys::press(state, key),
        Action::Paste(text) => keys::paste(state, &text),
        Action::Ask(question) => ask::question(state, &question),
        Action::AskNumber(number) => ask::number(state, number),
        Action::OpenIndex(path) => open::begin(state, path),
        Action::Into(path) => finder::into(state, &path),
        Action::Theme(name) => {
            state.message = Message::plain(format!(
                "theme {name}; to keep it: theme = \"{name}\" in config.toml"
            ));
            state.theme.clone_from(&name);
            vec![Effect::Theme(name)]
        }
        Action::Lesson(name) => lesson::begin(state, &name),
        Action::Teach(lesson) => lesson::teach(state, lesson),
        Action::Select(id) => moves::select_id(state, &id),
        Action::Method(name) => settings::method(state, &name),
        Action::Preset(name) => settings::preset(state, &name),
        Action::SavePreset(name) => {
            vec![Effect::SavePreset(name, Box::new(state.settings.clone()))]
        }
        Action::Build(name) => build::begin(state, &name),
        Action::Set(parameter, value) => settings::set_text(state, &parameter, &value),
        Action::Seed(text) => seeds::edit(state, &text),
        Action::Edit(text) => patch::edit(state, &text),
        Action::Restore(text) => patch::restore(state, &text),
        Action::SavePatch(name, over) => {
            let edits = state.settings.graph_edits().to_vec();
            vec![Effect::SavePatch(name, edits, over)]
        }
        Action::LoadPatch(name) => vec![Effect::LoadPatch(name)],
        Action::Patch(from, edits) => patch::loaded(state, &from, edits),
        Action::Row(row) => moves::to_row(state, state.focus, row),
        Action::Type => moves::type_here(state),
        Action::TakeRun(run) => moves::take_run(state, run),
        Action::Take(settings) => settings::take(state, *settings),
        Action::Read => moves::read(state),
        Action::ReadBeside => moves::read_beside(state),
        Action::Visit(subject) => moves::go_to(state, subject),
        Action::UnfoldStage(stage) => moves::unfold_stage(state, stage),
        Action::UnfoldParts => {
            state.opened = !state.opened;
            Vec::new()
        }
        Action::LabelRow(row) => {
            let mut effects = label::show(state, row);
            effects.extend(label::open(state));
            effects
        }
        Action::OpenListed(row) => listed::open_listed(state, row),
        Action::ListClass(class) => listed::list_class(state, class),
        Action::Node(node) => moves::go_to_node(state, node),
        Action::Around(node) => browse::go_to(state, node),
        Action::PinNode(node) => browse::pin(state, node),
        Action::End(node) => browse::end(state, node),
        Action::Along(nodes) => browse::along(state, &nodes),
        Action::UnfoldNode(node) => browse::unfold(state, node),
        Action::Passage(passage) => moves::go_to_passage(state, passage),
        Action::Focus(pane) => moves::focus(state, pane),
        Action::Press(x, y) => mouse::press(state, x, y),
        Action::DoublePress(x, y) => mouse::double_press(state, x, y),
        Action::Drag(x, _) => mouse::drag(state, x),
        Action::Release => {
            if let Some(Held::Slider(..)) = state.held.take() {
                settings::end_drag(state);
            }
            Vec::new()
        }
        Action::Wheel(x, y, lines) => mouse::wheel(state, x, y, lines),
        Action::Resize(width, height) => {
            state.size = (width, height);
            moves::leave_text(state);
            Vec::new()
        }
        Action::Tick => {
            moves::tick(state);
            Vec::new()
        }
        Action::Losing(class) => hunt::begin(state, 1, Some(class)),
        Action::Heard(heard) => heard.take(state),
        Action::Labelled(kept) => label::kept(state, kept),
        Action::Drawn(hits) => {
            state.hits = *hits;
            Vec::new()
        }
        Action::Told(message) => state.say(message),
    }
}

/// Does a command, or says why it cannot be done.
fn run(state: &mut State, command: Command) -> Vec<Effect> {
    if let Mode::Chord(_) = state.mode {
        state.mode = Mode::Browse;
    }
    if let Err(reason) = available(command, state) {
        return state.say(Message::warning(format!("{}: {reason}", command.title())));
    }
    state.message = Message::default();
    if command == Command::Back
        && let Some(effects) = jobs::stop(state)
    {
        return effects;
    }
    if let Some(effects) = sweep::run(state, command) {
        return effects;
    }
    match command {
        Command::Edit => {
            ask::edit(state);
            Vec::new()
        }
        Command::NextQuestion => ask::neighbouring(state, 1),
        Command::PreviousQuestion => ask::neighbouring(state, -1),
        Command::NextLosing => listed::next(state, 1),
        Command::PreviousLosing => listed::next(state, -1),
        Command::OpenIndex => finder::open(state, FinderKind::Indexes),
        Command::Resume => session::resume(state),
        Command::History => finder::open(state, FinderKind::History),
        Command::Method => finder::open(state, FinderKind::Methods),
        Command::Palette => finder::open(state, FinderKind::Palette),
        Command::Help => finder::open(state, FinderKind::Help),
        Command::Lessons => finder::open(state, FinderKind::Lessons),
        Command::Messages => finder::open(state, FinderKind::Messages),
        Command::Themes => finder::open(state, FinderKind::Themes),
        Command::LessonOn => lesson::go_on(state),
        Command::LessonBack => lesson::go_back(state),
        Command::LessonLeave => lesson::leave(state),
        Command::Present => {
            state.present = !state.present;
            Vec::new()
        }

        Command::Up => moves::by(state, -1),
        Command::Down => moves::by(state, 1),
        Command::PageUp => moves::by_page(state, -1),
        Command::PageDown => moves::by_page(state, 1),
        Command::First => moves::to_end(state, false),
        Command::Last => moves::to_end(state, true),
        Command::Left => moves::sideways(state, -1),
        Command::Right => moves::sideways(state, 1),
        Command::Filter => filtering::open(state),
        Command::Open => moves::open(state),
        Command::Back => moves::back(state),

        Command::NextPane => moves::next_pane(state, 1),
        Command::PreviousPane => moves::next_pane(state, -1),
        Command::Preview => moves::preview(state),
        Command::Zoom => {
            state.zoom = !state.zoom;
            Vec::new()
        }
        Command::GoSeeds => moves::focus(state, Pane::Seeds),
        Command::GoParameters => moves::focus(state, Pane::Parameters),
        Command::GoSession => moves::focus(state, Pane::Session),
        Command::GoSpread => moves::focus(state, Pane::Spread),
        Command::GoNeighbours => moves::focus(state, Pane::Neighbours),
        Command::GoPassages => moves::focus(state, Pane::Passages),
        Command::GoWhy => moves::focus(state, Pane::Why),
        Command::GoIterations => moves::focus(state, Pane::Iterations),

        Command::Less => settings::step(state, -1),
        Command::More => settings::step(state, 1),
        Command::MuchLess => settings::step(state, -10),
        Command::MuchMore => settings::step(state, 10),
        Command::Default => settings::default(state),
        Command::Defaults => settings::defaults(state),
        Command::Sweep => sweep::begin(state),
        Command::SweepBoth => sweep::against(state),
        Command::Repair => repair::begin(state),
        Command::Answer => reply::begin(state),
        Command::Doctor => doctor::begin(state),
        Command::Learn => learn::begin(state),
        Command::FixA => fix::apply(state, 0),
        Command::FixB => fix::apply(state, 1),
        Command::FixC => fix::apply(state, 2),
        Command::Undo => settings::undo(state),
        Command::Redo => settings::redo(state),
        Command::Tune(parameter) => {
            settings::tune(state, parameter);
            Vec::new()
        }

        Command::Compare => moves::compare(state),
        Command::Pin => pins::pin(state),
        Command::Unpin => pins::unpin(state),
        Command::SwapPin => pins::swap(state),
        Command::ViewExplore => pins::look(state, View::Explore),
        Command::ViewCompare => pins::look(state, View::Compare),
        Command::ViewFlow => pins::look(state, View::Flow),
        Command::ViewGraph => pins::look(state, View::Graph),
        Command::DrawNext => moves::draw_next(state),
        Command::Browse => browse::open(state),
        Command::FindNode => finder::open(state, FinderKind::Node),
        Command::HideNode => browse::hide(state),
        Command::UnhideNode => browse::unhide(state),
        Command::Routes => browse::routes(state),
        Command::PictureNodes => browse::picture(state),
        Command::ViewEvaluate => pins::look(state, View::Evaluate),
        Command::ViewAnnotate => pins::look(state, View::Annotate),
        Command::Label => label::open(state),
        Command::Blind => label::blind(state),
        Command::Withdraw => label::withdraw(state),
        Command::MuteSeed => seeds::mute(state),
        Command::WeighSeed => seeds::weigh(state),
        Command::Compose => finder::open(state, FinderKind::Compose),
        Command::SavePreset => finder::open(state, FinderKind::Preset),
        Command::AddSeed => finder::open(state, FinderKind::Seeds),
        Command::PassageSeeds => seeds::passages(state),
        Command::JoinNames => finder::open(state, FinderKind::Join),
        Command::CutEdge => patch::cut(state),
        Command::MuteName => patch::mute(state),
        Command::GraphEdits => finder::open(state, FinderKind::Edits),
        Command::SavePatch => finder::open(state, FinderKind::SavePatch),
        Command::LoadPatch => finder::open(state, FinderKind::LoadPatch),

        Command::Play => moves::play(state),
        Command::StepBack => moves::step_by(state, -1),
        Command::StepOn => moves::step_by(state, 1),
        Command::StepFirst => moves::step_to(state, 0),
        Command::Faster => moves::pace(state, 1),
        Command::Slower => moves::pace(state, -1),
        Command::Loop => moves::turn_loop(state),
        Command::StepLast => moves::step_to(state, usize::MAX),

        Command::Copy => copy::text(state),
        Command::CopyJson => copy::json(state),
        Command::CopyShell => copy::command(state),
        Command::ExportRun => export::run(state),
        Command::ExportJson => export::json(state),
        Command::ExportRows => export::table(state),
        Command::ExportDot => export::graph(state, Format::Dot),
        Command::ExportGraphml => export::graph(state, Format::Graphml),
        Command::ExportGexf => export::graph(state, Format::Gexf),
        Command::ExportNodeLink => export::graph(state, Format::NodeLink),
        Command::ExportHtml => export::graph(state, Format::Html),
        Command::ExportPicture => export::picture(),
        Command::ExportFigure => export::figure(state),
        Command::Mask => {
            state.masked = !state.masked;
            Vec::new()
        }
        Command::Suspend => vec![Effect::Suspend],
        Command::Quit | Command::QuitKeep if label::holds(state) => Vec::new(),
        Command::Quit => vec![Effect::Quit { keep: false }],
        Command::QuitKeep => vec![Effect::Quit { keep: true }],
    }
}
