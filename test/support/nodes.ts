import type { Edges, Source } from '../../src/domain/graph.js';
import { idOf } from '../../src/domain/id.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { NewNode } from '../../src/store/nodes.js';

type New<Kind extends NewNode['kind']> = Extract<NewNode, { kind: Kind }>;

/** A fact whose id comes from its text. */
export function aFact(
  text: string,
  more: { metadata?: JsonObject; source?: Source; validFrom?: string; edges?: Edges } = {},
): New<'semantic'> {
  return { id: idOf('test fact', text), kind: 'semantic', form: 'fact', text, source: {}, edges: {}, ...more };
}

/** An episode of one act that went well. */
export function anEpisode(instruction: string, edges: Edges = {}): New<'episodic'> {
  return {
    ...{ id: idOf('test episode', instruction), kind: 'episodic', text: instruction, taskId: instruction, instruction, edges },
    trajectory: [{ observation: 'a kitchen', action: `looked around for ${instruction}` }],
    ...{ outcome: 'succeeded', feedback: 'done', feedbackSource: 'agent', repairs: 0, steps: 1, stepLinks: [] },
  };
}

/** A skill that was tried. */
export function aSkill(text: string, edges: Edges = {}): New<'procedural'> {
  return { id: idOf('test skill', text), kind: 'procedural', text, lifecycle: 'trial', maturity: 0.25, estimated: true, edges };
}
