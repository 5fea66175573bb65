export { conversationWorkflow } from './conversation.js';
export { knowledgeWorkflow } from './knowledge.js';
export { taskWorkflow } from './task.js';
export { reconcileLane } from './sleep-lane.js';
export { sleepTick } from './sleep-tick.js';
export { undoSleepWorkflow } from './sleep-undo.js';
export { sleepWorkflow } from './sleep.js';
export { skillWorkflow } from './skill.js';
