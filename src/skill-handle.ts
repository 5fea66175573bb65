import type { WorkflowHandle } from '@temporalio/client';

import { approveUpdate, ripeningQuery, type Approval, type RipeningTold } from '../workflows/messages-skill.js';
import { failureOf } from './workflow-failures.js';

/** One skill while a sleep ripens it, and after. */
export class SkillHandle {
  readonly #handle: WorkflowHandle;

  constructor(handle: WorkflowHandle) {
    this.#handle = handle;
  }

  get workflowId(): string {
    return this.#handle.workflowId;
  }

  /** Every round of the ripening that runs, or ran last. Needs a running worker; fails with `not_found` where none ever ran. */
  async ripening(): Promise<RipeningTold> {
    return await this.#ask(() => this.#handle.query(ripeningQuery));
  }

  /** A person's word on the rewrite that waits for it; fails with `validation` where none does. */
  async approve(approval: Approval): Promise<void> {
    await this.#ask(() => this.#handle.executeUpdate(approveUpdate, { args: [approval] }));
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw failureOf(error);
    }
  }
}
