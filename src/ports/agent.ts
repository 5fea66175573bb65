/** The port of an agent is a Temporal activity, in any language; its words are the domain's, since workflows speak them too. */
export type { ExecuteInput, ExecuteOutcome, JudgeInput, Judgement } from '../domain/agent.js';
