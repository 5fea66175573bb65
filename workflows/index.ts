export { conversationWorkflow } from './conversation.js';
export { knowledgeWorkflow } from './knowledge.js';
export { taskWorkflow } from './task.js';
