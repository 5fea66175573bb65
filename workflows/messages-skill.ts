import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';

import type { RipenEnd, RipenRound } from '../src/domain/skills.js';

/** A person's word on a rewritten skill. */
export interface Approval {
  readonly approved: boolean;
}

/** What a skill's ripening tells while it runs, and after. */
export interface RipeningTold {
  readonly status: 'running' | 'awaiting_approval' | RipenEnd;
  readonly rounds: readonly RipenRound[];
}

/** Approves or refuses the rewrite that waits for it. Refused with `validation` when none waits. */
export const approveUpdate = defineUpdate<void, [Approval]>('approve');

/** Every round so far. */
export const ripeningQuery = defineQuery<RipeningTold>('ripening');

/** Tells the sleep that a skill waits for a person, so that the sleep does not. Sent by the skill's workflow. */
export const waitsSignal = defineSignal<[{ readonly skillId: string }]>('skillWaits');
