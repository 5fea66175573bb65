import { formSubgraph } from '../activities/formation.js';
import { claim } from '../src/domain/claim.js';
import { DEFAULT_BUDGETS } from '../src/domain/context.js';
import type { ProceduralNode } from '../src/domain/graph.js';
import { DEFAULT_RETRIEVAL } from '../src/domain/task.js';
import { SkillStore } from '../src/store/skills.js';
import type { Stage } from '../test/support/environment.js';
import { MOST_MOVES, type Assignment, type GameAgent } from './learn-agent.js';
import type { Scene, World } from './twx/world.js';

/** Showing a game asks nothing of memory. */
const NOTHING = { topKSemantic: 0, topKEpisodic: 0, topKProcedural: 0 };

/** One memory that games are learnt in: episodes come by tasks, skills by sleep, and what a player knows by retrieval. */
export class LearningSpace {
  readonly space: string;
  readonly #stage: Stage;
  readonly #agent: GameAgent;
  readonly #world: World;
  #tasks = 0;

  constructor(space: string, { stage, agent, world }: { stage: Stage; agent: GameAgent; world: World }) {
    this.space = space;
    this.#stage = stage;
    this.#agent = agent;
    this.#world = world;
  }

  /** Plays a game as a task, by the game's own solution where `shown`, else by what this memory knows. True where it was won.
   * A replayable one is played again by each sleep that tries a skill on it. */
  async play({ game, random }: Omit<Assignment, 'shown'>, { shown = false, replayable = false } = {}): Promise<boolean> {
    const taskId = `${this.space} ${(this.#tasks += 1)}`;
    const moves = shown ? await this.#world.gold(game) : undefined;
    const { task, observation } = await this.#world.reset(game);
    this.#agent.assign(taskId, { game, random, ...(moves && { shown: moves }) });
    const { outcome } = await this.#stage.client.runTask({
      ...{ space: this.space, taskId, instruction: task, observation, agent: { ...this.#stage.agent, replayable } },
      ...(shown && { retrieval: NOTHING }),
      limits: { maxRefinementRounds: 0, steps: MOST_MOVES },
    });
    return outcome === 'succeeded';
  }

  /** Lets this memory turn what it has seen into skills. */
  async sleep(): Promise<void> {
    await this.#stage.client.sleep(this.space, { phases: ['consolidate', 'ripen'] });
  }

  /** What a task that begins so is shown of this memory. */
  async context({ task, observation }: Scene): Promise<string> {
    const { memory } = this.#stage;
    const { context } = await formSubgraph(memory, {
      ...{ space: this.space, taskId: 'measured', step: 0, round: 0 },
      ...{ instruction: claim(this.space, task), observation: claim(this.space, observation) },
      ...{ retrieval: DEFAULT_RETRIEVAL, budgets: DEFAULT_BUDGETS },
    });
    return await memory.texts.read(this.space, context.ref);
  }

  /** The skills as they are now. */
  async skills(): Promise<ProceduralNode[]> {
    return await new SkillStore(this.#stage.memory.store).current(this.space);
  }

  /** For each skill, the instruction of most of the tasks that it was drawn from. */
  async tasksOfSkills(): Promise<ReadonlyMap<string, string>> {
    const { nodes } = this.#stage.memory;
    const tasks = new Map<string, string>();
    for (const { id, edges } of await this.skills()) {
      const episodes = await nodes.read(this.space, edges.distilledFrom ?? []);
      const instructions = episodes.flatMap((node) => (node.kind === 'episodic' ? [node.instruction] : []));
      const times = (one: string): number => instructions.filter((other) => other === one).length;
      const [most] = [...new Set(instructions)].sort((a, b) => times(b) - times(a));
      if (most !== undefined) tasks.set(id, most);
    }
    return tasks;
  }

  /** Writes other words into a skill, as whoever has access to a memory may. */
  async rewrite({ id: nodeId, version, text }: ProceduralNode, change: (text: string) => string): Promise<void> {
    const { nodes } = this.#stage.memory;
    const recordedAt = new Date().toISOString();
    await nodes.revise(this.space, { nodeId, version, change: { text: change(text) }, recordedAt, token: `bench ${version}` });
  }
}
