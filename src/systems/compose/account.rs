//! Who paid for a passage: shares by seed, the best path, words for both.

use super::search::{Asked, Cause, Run, Seed};
use crate::graph::push;
use crate::graph::trail::{self, Trail};
use crate::graph::walk::backward;
use crate::index::Index;
use crate::parameters::{ALPHA, DANGLING, EPSILON};
use std::borrow::Cow;

/// Longer paths than this are not looked for.
const LONGEST: usize = 6;

impl Asked {
    /// What every seed paid of a passage's score, by place among the seeds, the greatest first; and what push has not
    /// settled yet, either way: with it the shares add up to the score.
    pub fn shares(&self, run: &Run, passage: u32) -> (Vec<(usize, f64)>, f64) {
        let restart = Asked::restart(&run.seeds);
        let mut paid = vec![0.0; run.seeds.len()];
        for &node in self.web.of_passage(passage) {
            if run.mass[node as usize] > 0.0 {
                let reach = self.reach(node, &restart, &run.seeds);
                let share = self.web.share(node);
                for ((paid, seed), reach) in paid.iter_mut().zip(&run.seeds).zip(reach) {
                    *paid += share * seed.weight * reach;
                }
            }
        }
        let mut shares: Vec<(usize, f64)> = paid.into_iter().enumerate().collect();
        shares.retain(|share| share.1 > 0.0);
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let total: f64 = shares.iter().map(|share| share.1).sum();
        (shares, run.scores[passage as usize] - total)
    }

    /// What a unit of mass restarted at each seed lands on a node.
    fn reach(&self, node: u32, restart: &[(u32, f64)], seeds: &[Seed]) -> Vec<f64> {
        let (t, rule) = (self.web.transition(), self.settings.get(DANGLING));
        let at: Box<dyn Fn(u32) -> f64> = match self.lengths() {
            None => {
                let epsilon = (self.settings.get(EPSILON) * 0.01).max(1e-9);
                let alpha = self.settings.get(ALPHA);
                let (reach, _) = push::reverse(t, node, alpha, epsilon, rule);
                Box::new(move |u| reach[u as usize])
            }
            Some(lengths) => {
                let states = backward(t, node, lengths.len() - 1, rule, restart);
                Box::new(move |u| {
                    let paid = states.iter().zip(&lengths);
                    paid.map(|(h, c)| c * h[u as usize]).sum()
                })
            }
        };
        seeds.iter().map(|s| at(s.node)).collect()
    }

    /// The node of a passage with most of its mass.
    pub fn best_node(&self, run: &Run, passage: u32) -> Option<u32> {
        let own = self.web.of_passage(passage).iter().copied();
        own.filter(|&node| run.mass[node as usize] > 0.0)
            .reduce(|best, node| {
                let mass = |node: u32| run.mass[node as usize];
                if mass(node) > mass(best) { node } else { best }
            })
    }

    /// The walk that brings a node most, from a seed. Walks of push have any length; the long ones carry little.
    pub fn path(&self, run: &Run, node: u32) -> Option<Trail> {
        let steps = match self.lengths() {
            None => LONGEST,
            Some(lengths) => (lengths.len() - 1).min(LONGEST),
        };
        let seeds = Asked::restart(&run.seeds);
        trail::best(self.web.transition(), &seeds, node, steps)
    }

    /// Steps from the nearest seed to a passage.
    pub fn distance(&self, run: &Run, passage: u32) -> Option<usize> {
        let seeds = Asked::restart(&run.seeds);
        trail::distance(self.web.transition(), &seeds, self.web.of_passage(passage))
    }

    pub fn label<'a>(&'a self, index: &'a Index, node: u32) -> Cow<'a, str> {
        self.web.nodes.label(index, node)
    }

    /// How common a named node is.
    pub fn places(&self, node: u32) -> String {
        match self.web.nodes.df(node) {
            1 => "in 1 place".to_owned(),
            df => format!("in {df} places"),
        }
    }

    /// How a seed became one.
    pub fn seeded(&self, run: &Run, seed: &Seed) -> String {
        match seed.from {
            Cause::Name(at) => {
                let surface = run.names.get(at).map_or("", |name| &*name.surface);
                format!("named by '{surface}', {}", self.places(seed.node))
            }
            Cause::List(rank) => format!("{} rank {rank}", self.other_seeds()),
            Cause::Near(rank, cosine) => format!("nearest {rank}, cosine {cosine:.3}"),
        }
    }
}
