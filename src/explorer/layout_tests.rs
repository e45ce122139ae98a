use super::*;

fn plan(width: u16, height: u16, focus: Pane) -> Plan {
    with_text(width, height, focus, false, false)
}

fn with_text(width: u16, height: u16, focus: Pane, preview: bool, zoom: bool) -> Plan {
    let lower = if focus == Pane::Neighbours {
        Pane::Neighbours
    } else {
        Pane::Why
    };
    Plan::new(
        Rect::new(0, 0, width, height),
        Arranged {
            view: View::of(focus),
            present: false,
            lesson: 0,
            focus,
            lower,
            zoom,
            reading: false,
            preview,
            steps: true,
        },
    )
}

#[test]
fn shapes_have_the_sizes_of_the_design() {
    assert_eq!(Shape::of(160, 48), Shape::Full);
    assert_eq!(Shape::of(159, 48), Shape::Tabbed);
    assert_eq!(Shape::of(200, 35), Shape::Columns);
    assert_eq!(Shape::of(200, 20), Shape::Accordion);
    assert_eq!(Shape::of(59, 50), Shape::Line);
    assert_eq!(Shape::of(60, 15), Shape::Line);
}

#[test]
fn slots_stay_inside_and_do_not_overlap_at_any_size() {
    for (width, height) in [
        (160, 48),
        (161, 49),
        (240, 70),
        (120, 36),
        (159, 60),
        (100, 30),
        (119, 35),
        (60, 16),
        (99, 29),
        (300, 17),
    ] {
        let ways = [(false, false), (true, false), (true, true)];
        for (focus, (preview, zoom)) in Pane::all().flat_map(|p| ways.map(|way| (p, way))) {
            let plan = with_text(width, height, focus, preview, zoom);
            let whole = Rect::new(0, 0, width, height);
            let mut taken: Vec<Rect> = vec![plan.header, plan.pipeline, plan.status, plan.hints];
            taken.extend(plan.slots.iter().map(|s| s.area));
            for (i, a) in taken.iter().enumerate() {
                assert_eq!(a.intersection(whole), *a, "{width}x{height} {focus:?}");
                for b in &taken[i + 1..] {
                    assert_eq!(
                        a.intersection(*b).area(),
                        0,
                        "{width}x{height} {focus:?} {plan:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn whatever_has_the_keyboard_is_on_screen() {
    for (width, height) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 16)] {
        for focus in Pane::all().filter(|p| *p != Pane::Reader) {
            let plan = plan(width, height, focus);
            let shown = plan.slots.iter().any(|s| s.pane == focus);
            assert!(shown, "{width}x{height} {focus:?}");
        }
    }
}

#[test]
fn the_text_has_room_beside_the_pane_with_the_keyboard_wherever_it_is_wanted() {
    for (width, height) in [(240, 70), (160, 48), (120, 36), (100, 30), (80, 24)] {
        let listing = [
            Pane::Passages,
            Pane::Runs,
            Pane::Paths,
            Pane::Flow,
            Pane::Spread,
        ];
        for (focus, zoom) in listing.into_iter().flat_map(|p| [(p, false), (p, true)]) {
            let plan = with_text(width, height, focus, true, zoom);
            let text = plan.open(Pane::Reader);
            let text = text.unwrap_or_else(|| panic!("{width}x{height} {focus:?} {zoom}"));
            assert!(
                text.area.height >= 5 && text.area.width >= 38,
                "{focus:?} {text:?}"
            );
            let list = plan.open(focus).unwrap();
            assert!(list.area.height >= 5, "{focus:?} {list:?}");
        }
    }
    let plan = with_text(160, 48, Pane::Why, true, false);
    assert!(plan.open(Pane::Why).is_some(), "who asks why is told");
}
