import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';

import type { Memory } from '../activities/formation.js';
import { ConversationHandle, type Remembered, type RememberOptions } from './conversation-handle.js';
import { checkConversationName, checkSettings, type ConversationSettings } from './domain/conversation.js';
import type { KnowledgeResult } from './domain/document.js';
import { EngraphError } from './domain/failure.js';
import type { GraphNode, NodeKind } from './domain/graph.js';
import type { JsonObject } from './domain/json.js';
import type { Message } from './domain/message.js';
import { checkUpdate, checkUpdateKey, type NodeUpdate } from './domain/node-update.js';
import { redactSecrets } from './domain/redact.js';
import type { TaskResult } from './domain/refinement.js';
import type { SleepResult } from './domain/sleep-result.js';
import { checkSpace, keyOf } from './domain/space.js';
import type { SleepRequest } from './domain/sleep.js';
import { checkTask, type RetrievalMode, type TaskRequest } from './domain/task.js';
import { learnDocument, type DocumentToLearn } from './learning.js';
import { RememberQueue } from './remembering.js';
import { SkillHandle } from './skill-handle.js';
import { Sleeping } from './sleeping.js';
import type { Ranked, SearchOptions } from './store/recall.js';
import { updateNode } from './store/updating.js';
import { TaskHandle } from './task-handle.js';
import { reaching } from './workflow-failures.js';

export interface ClientOptions {
  /** Temporal's client, connected to the namespace that the workers serve. */
  readonly temporal: Client;
  /** The same store that the workers use. */
  readonly memory: Memory;
  /** The workers' workflow queue. Default `engraph`. */
  readonly taskQueue?: string;
  /** The clock that messages' times without a zone are of, an IANA name. Default `UTC`. */
  readonly timeZone?: string;
}

/** Options of a search; see `Recall.search`. `verified` needs a model and is a task's mode, not a search's. */
export type ClientSearch = SearchOptions & { readonly mode?: Exclude<RetrievalMode, 'verified'> };

/**
 * Engraph for applications: starts workflows and reads memory. Every call names its space and fails with an `EngraphError`
 * whose `kind` says what went wrong. Texts that are sent have secrets redacted, since a history comes before the store.
 */
export class EngraphClient {
  readonly #temporal: Client;
  readonly #memory: Memory;
  readonly #taskQueue: string;
  readonly #timeZone: string;
  readonly #queues = new Map<string, RememberQueue>();

  constructor({ temporal, memory, taskQueue = 'engraph', timeZone = 'UTC' }: ClientOptions) {
    this.#temporal = temporal;
    this.#memory = memory;
    this.#taskQueue = taskQueue;
    this.#timeZone = timeZone;
  }

  /**
   * Starts a task, or finds the one that has this id in this space: running, its handle is returned; finished, its result is.
   * Invalid input fails here, before anything is started.
   */
  async startTask(request: TaskRequest): Promise<TaskHandle> {
    const task = checkTask(request);
    const workflowId = `task/${keyOf(task.space)}/${keyOf(task.taskId)}`;
    const clean = {
      ...request,
      instruction: redactSecrets(task.instruction).text,
      observation: redactSecrets(task.observation).text,
    };
    try {
      await this.#temporal.workflow.start('taskWorkflow', {
        ...{ workflowId, taskQueue: this.#taskQueue, args: [clean] },
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        staticSummary: `task ${keyOf(task.taskId)} in ${keyOf(task.space)}`,
        priority: this.#online(task.space),
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw reaching(error);
    }
    return this.task(task.space, task.taskId);
  }

  /** Runs a task to its end. A task that failed is a result; an `EngraphError` means that a part of Engraph did. */
  async runTask(request: TaskRequest): Promise<TaskResult> {
    return await (await this.startTask(request)).result();
  }

  /** The handle of a task that was started before, by whomever. */
  task(space: string, taskId: string): TaskHandle {
    checkSpace(space);
    return new TaskHandle(this.#temporal.workflow.getHandle(`task/${keyOf(space)}/${keyOf(taskId)}`), {
      space,
      taskId,
      texts: this.#memory.texts,
    });
  }

  /** Remembers messages of a conversation, which begins with its first; see `ConversationHandle.remember`. */
  async remember(
    space: string,
    conversation: string,
    messages: readonly Message[],
    options: RememberOptions & { readonly settings?: Partial<ConversationSettings> } = {},
  ): Promise<Remembered> {
    return await this.conversation(space, conversation, options.settings).remember(messages, options);
  }

  /** A conversation by its name. `settings` hold where this client's first message begins it; one that is open keeps its own. */
  conversation(space: string, conversation: string, settings?: Partial<ConversationSettings>): ConversationHandle {
    checkSpace(space);
    checkConversationName(conversation);
    if (settings !== undefined) checkSettings(settings);
    const workflowId = `conversation/${keyOf(space)}/${keyOf(conversation)}`;
    const input = { space, conversation, ...(settings !== undefined && { settings }) };
    const queue = (): RememberQueue => {
      for (const [id, { isIdle }] of this.#queues) if (isIdle && id !== workflowId) this.#queues.delete(id);
      const known = this.#queues.get(workflowId);
      if (known !== undefined && !known.isIdle) return known;
      const target = { temporal: this.#temporal, taskQueue: this.#taskQueue, priority: this.#online(space), workflowId, input };
      const made = new RememberQueue(target);
      this.#queues.set(workflowId, made);
      return made;
    };
    return new ConversationHandle(this.#temporal.workflow.getHandle(workflowId), {
      space,
      conversation,
      queue,
      timeZone: this.#timeZone,
    });
  }

  /** Learns one document: the same again changes nothing, a changed one replaces only its changed chunks. */
  async learn(space: string, document: DocumentToLearn): Promise<KnowledgeResult> {
    checkSpace(space);
    const start = {
      temporal: this.#temporal,
      texts: this.#memory.texts,
      taskQueue: this.#taskQueue,
      priority: this.#online(space),
    };
    return await learnDocument(start, space, document);
  }

  /** Sleeps to the end, and tells what the sleep came to. */
  async sleep(space: string, request: SleepRequest = {}): Promise<SleepResult> {
    return await (await this.sleeping(space).start(request)).result();
  }

  /** A skill while a sleep ripens it, and after. */
  skill(space: string, skillId: string): SkillHandle {
    return new SkillHandle(this.#temporal.workflow.getHandle(`skill/${keyOf(checkSpace(space))}/${skillId}`));
  }

  /** The sleep of a space: starting, steering and undoing it, its schedule, and what past ones came to. */
  sleeping(space: string): Sleeping {
    return new Sleeping(this.#temporal, { store: this.#memory.store, taskQueue: this.#taskQueue, space });
  }

  /** The best nodes for a query. A blank query finds nothing. No model call, no workflow: it reads the store. */
  async search(space: string, query: string, options: ClientSearch = {}): Promise<Ranked[]> {
    return await this.#memory.recall.search(checkSpace(space), query, options);
  }

  /** A node by its id, as it is now or as it was at `asOf`; fails with `not_found`. */
  async show(space: string, nodeId: string, { asOf }: { asOf?: string } = {}): Promise<GraphNode> {
    const [node] = await this.#memory.nodes.read(checkSpace(space), [nodeId], { asOf });
    if (node) return node;
    throw new EngraphError('not_found', `there is no node ${nodeId} in this space${asOf === undefined ? '' : ` as of ${asOf}`}`, {
      details: { nodeId },
    });
  }

  /**
   * Changes a fact's text or any semantic node's metadata, at once: the same id, sources and edges, a new version embedded anew,
   * metadata merged key by key, secrets redacted. Updates at once all hold. The same `key` again changes nothing. Fails with
   * `not_found`, `validation` or `too_large`.
   */
  async update(space: string, nodeId: string, update: NodeUpdate, { key }: { key?: string } = {}): Promise<GraphNode> {
    const checked = { nodeId, update: checkUpdate(update), key: checkUpdateKey(key), now: () => new Date() };
    return await updateNode(this.#memory, checkSpace(space), checked);
  }

  /** Every version of every node of a space, a plain JSON object each: an export as JSON Lines. */
  async *export(space: string): AsyncGenerator<JsonObject> {
    yield* this.#memory.nodes.exportSpace(checkSpace(space));
  }

  /** SHA-256 of what a space's nodes say now; versions, times and run ids are left out (design.md 3.3). */
  async exportHash(space: string, kinds?: readonly NodeKind[]): Promise<string> {
    return await this.#memory.nodes.exportHash(checkSpace(space), kinds);
  }

  /** Names of the spaces that hold anything. */
  async spaces(): Promise<string[]> {
    return await this.#memory.store.spaces();
  }

  /** Online work goes before sleep, and spaces share it fairly. */
  #online(space: string): { priorityKey: number; fairnessKey: string } {
    return { priorityKey: 1, fairnessKey: keyOf(space) };
  }
}
