import { candidateLinks } from '../src/domain/candidates.js';
import { compareFacts } from '../src/domain/fact-order.js';
import type { SemanticNode } from '../src/domain/graph.js';
import { updateQueues, type LinkedQueue } from '../src/domain/queues.js';
import type { CandidateLink, QueuedFact, UpdateQueue } from '../src/domain/update-queue.js';
import type { CallOptions, VectorStore } from '../src/ports/vector-store.js';
import { FreshFacts } from '../src/store/fresh-facts.js';
import type { NodeStore } from '../src/store/nodes.js';
import { Nominating } from '../src/store/nominating.js';
import { PendingLinks } from '../src/store/pending-links.js';
import { Plans, type KeptPlan } from '../src/store/plans.js';
import type { PlanInput } from './contract-sleep.js';

/** What planning works with. */
export interface PlanningDeps {
  readonly store: VectorStore;
  readonly nodes: NodeStore;
}

/** `next` of a plan whose run has no fresh fact left, only links that were cut. */
const CUT_LINKS = 'cut links';

/**
 * Plans the update queues of a space's fresh facts (design.md 3.3): candidates, components, cuts. No model is asked, and
 * nothing but records is written. Planned once under (runId, plan), the same is returned ever after. Links that were cut are
 * taken by the run's next plan, and so on while they grow fewer, so that a sleep with nothing new has nothing to do.
 */
export async function planQueues(deps: PlanningDeps, input: PlanInput, options: CallOptions = {}): Promise<KeptPlan> {
  const plans = new Plans(deps.store);
  const kept = await plans.find(input, options);
  if (kept !== undefined) return kept;
  const { space, plan, planFacts: most, after, batch } = input;
  const before = after === undefined ? undefined : await plans.find({ ...input, plan: plan - 1 }, options);
  const fresh =
    after === CUT_LINKS
      ? { facts: [] }
      : await new FreshFacts(deps.store, deps.nodes).read(space, { most, after: before?.last, batch, ...options });
  const { facts, nominations } = await new Nominating(deps.store).nominate(space, fresh.facts, options);

  const pendingLinks = new PendingLinks(deps.store);
  // A batch is held against what is near it at once; what an earlier sleep has left over waits for the next.
  const pending = batch === undefined ? await pendingLinks.resolve(space, options) : { links: [], facts: [] };
  const known = new Map([...pending.facts.map((fact) => [fact.id, fact] as const), ...facts]);
  const links = united(candidateLinks(known, nominations), pending.links);
  const order = [...known.values()].sort(compareFacts).map(({ id }) => id);
  const { queues, cut } = updateQueues(order, links);
  await pendingLinks.add(space, cut, options);

  const isFresh = new Set(fresh.facts.map(({ fact }) => fact.id));
  const queued = (fact: SemanticNode): QueuedFact => ({ nodeId: fact.id, version: fact.version, fresh: isFresh.has(fact.id) });
  const inQueues = new Set(queues.flatMap((queue) => queue.facts));
  const next = nextOf({ last: fresh.last, cut: cut.length, before: after === CUT_LINKS ? before?.cut : undefined });
  const told = {
    fresh: fresh.facts.length,
    queues: queues.map(({ links: some }) => new Set(some.map(({ later }) => later)).size),
    cut: cut.length,
    alone: fresh.facts.filter(({ fact }) => !inQueues.has(fact.id)).map(({ fact }) => queued(fact)),
    ...(fresh.last !== undefined && { last: fresh.last }),
    ...(next !== undefined && batch === undefined && { next }),
  };
  const whole = queues.map((queue: LinkedQueue): UpdateQueue => ({
    facts: queue.facts.flatMap((id) => known.get(id) ?? []).map(queued),
    links: queue.links,
  }));
  return await plans.keep(input, told, whole, options);
}

/** A link that was cut before is worth a question whatever makes it a candidate now. */
function united(links: readonly CandidateLink[], pending: readonly Omit<CandidateLink, 'by'>[]): CandidateLink[] {
  const all = new Map(links.map((link) => [`${link.earlier}/${link.later}`, link]));
  for (const link of pending) all.set(`${link.earlier}/${link.later}`, { ...link, by: 'pending' });
  return [...all.values()];
}

function nextOf({ last, cut, before }: { last: { id: string } | undefined; cut: number; before: number | undefined }) {
  if (last !== undefined) return last.id;
  return cut > 0 && (before === undefined || cut < before) ? CUT_LINKS : undefined;
}
