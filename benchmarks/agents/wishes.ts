// Wishes as people phrase them, by the tool that serves them. None of them is taken from a description.

export const wishes: Readonly<Record<string, readonly string[]>> = {
  // file-storage
  FileStorage_WhoAmI: [
    'how much storage space is left on my drive',
    'which shared drives can I access',
    'what account am I signed in to for my files',
  ],
  FileStorage_GetFileTreeStructure: [
    ...['show me the folder hierarchy of my drive', 'list everything in my drive as a tree', 'what folders and files do I have'],
    ...['give me an overview of the whole directory structure', 'how are my files organized in folders'],
  ],
  FileStorage_GenerateFilePickerUrl: [
    ...['let the user choose which files this app may open', 'the app has no permission for a file, ask the person to pick it'],
    ...['I need a link where the user can select files from their drive', 'open a picker to grant access to a document'],
  ],
  FileStorage_SearchFiles: [
    ...[
      'find the pdf about the quarterly budget',
      'search for documents mentioning the launch plan',
      'where is the file named retrospective',
    ],
    ...['look for spreadsheets with the word invoice', 'which files talk about onboarding'],
  ],
  FileStorage_CreateFolder: [
    'make a new folder called Invoices',
    'create a subfolder inside Projects',
    'add a directory for 2027 photos',
    'set up a folder for the client',
  ],
  FileStorage_RenameFile: [
    'change the name of a file',
    'rename report.pdf to final report.pdf',
    'give this folder a different name',
    'fix the typo in the title of a document',
  ],
  FileStorage_MoveFile: [
    'put this file into another folder',
    'move the contract to the archive folder',
    'relocate a folder under Projects',
    'file the receipt away in Finance',
  ],
  FileStorage_DownloadFile: [
    'download the logo image',
    'get the contents of notes.txt',
    'save a file from the drive to my computer',
    'fetch a small pdf from drive',
  ],
  FileStorage_DownloadFileChunk: [
    'download a large video piece by piece',
    'read the next part of a big file',
    'get bytes 5 to 10 million of the file',
    'continue the chunked download',
  ],
  FileStorage_UploadFile: [
    'upload a file from a web address',
    'save this url into my drive',
    'store an image from the internet as a new file',
    'put the pdf at this link into the drive',
  ],
  FileStorage_ShareFile: [
    'share the folder with ada@example.com',
    'give my colleague edit access to a document',
    'let someone comment on this file',
    'invite people to view the presentation',
  ],
  // event-pipeline
  EventPipelineApi_IdentifyPersonAndAssignTraits: [
    ...["set a customer's email and plan", 'identify a user and store attributes about them', 'update the profile traits of a person'],
    ...['create a person in Customer.io with an address'],
  ],
  EventPipelineApi_TrackUserEvent: [
    'record that a customer bought something',
    'track an event for a user',
    'log a signup event with properties',
    'send an order completed event',
  ],
  EventPipelineApi_SendPageViewEvent: [
    'record that someone visited a web page',
    'track a page view on the website',
    'send a page event for the pricing page',
  ],
  EventPipelineApi_SendScreenViewEvent: [
    'record that a user opened a screen in the mobile app',
    'track a screen view',
    'log which app screen someone looked at',
  ],
  EventPipelineApi_AddToGroup: [
    'put a person into a company group',
    'add a user to an account group',
    'associate someone with an organization group and set group traits',
  ],
  EventPipelineApi_AliasUserIdentity: [
    'merge an anonymous visitor with a known user',
    'link an anonymous id to a user id',
    'connect two identities of the same person',
  ],
  EventPipelineApi_SendBatchRequests: [
    'send many events at once',
    'import a list of track and identify calls in one request',
    'bulk upload events to Customer.io',
  ],
  // issue-tracker
  IssueTracker_WhoAmI: ['who am I in the issue tracker', 'which teams do I belong to', 'show my user account in Linear'],
  IssueTracker_GetNotifications: [
    'show my unread notifications',
    'what is in my inbox',
    'did anyone mention me',
    'which notifications have I not read',
  ],
  IssueTracker_GetRecentActivity: [
    'what have I worked on recently',
    'issues I created or was assigned in the last week',
    'my recent activity of the past days',
  ],
  IssueTracker_GetTeam: ['show details of the engineering team', 'who are the members of the design team', 'look up a team by its key'],
  IssueTracker_ListTeams: ['what teams are there', 'list all teams in the workspace', 'which teams exist including archived ones'],
  IssueTracker_ListIssues: [
    ...[
      'show all bugs assigned to me',
      'find issues about the login form',
      'list urgent tickets in the backlog of a team',
      'search issues by keyword',
    ],
    ...['which open issues does the Apollo project have', 'tickets with the label security'],
  ],
  IssueTracker_GetIssue: [
    'show me ticket ENG-12',
    'read the details of an issue with its comments',
    'what are the sub-issues and attachments of ENG-4',
    'open the issue ENG-9',
  ],
  IssueTracker_CreateIssue: [
    'file a bug report',
    'open a new ticket for the design team',
    'create an issue with a due date and labels',
    'report a problem as a new issue',
    'make a sub-issue',
  ],
  IssueTracker_UpdateIssue: [
    ...[
      'assign the issue to Priya',
      'change the priority of ENG-5 to high',
      'edit the title and description of a ticket',
      'set a due date on an issue',
    ],
    ...['add a label to an existing issue', 'remove the assignee from an issue'],
  ],
  IssueTracker_TransitionIssueState: [
    'mark an issue as done',
    'move ENG-3 to in progress',
    'change the workflow state of a ticket',
    'close the issue as completed',
  ],
  IssueTracker_CreateIssueRelation: [
    'mark ENG-1 as blocking ENG-2',
    'this issue is a duplicate of another',
    'relate two issues',
    'say that one ticket depends on the other and is blocked by it',
  ],
  IssueTracker_ManageIssueSubscription: [
    'unsubscribe me from an issue',
    'follow this ticket to get updates',
    'stop getting notified about ENG-7',
    'subscribe to an issue',
  ],
  IssueTracker_ArchiveIssue: ['archive an old issue', 'hide a ticket from the default views', 'put ENG-12 into the archive'],
  IssueTracker_ListComments: ['read the comments on an issue', 'show the discussion of ENG-1', 'what did people say about this ticket'],
  IssueTracker_AddComment: [
    'comment on an issue',
    'leave a note on ticket ENG-8',
    'write a comment saying it is fixed',
    'post a remark on an issue',
  ],
  IssueTracker_UpdateComment: ['edit my comment', 'correct the text of an existing comment', 'change what a comment says'],
  IssueTracker_ReplyToComment: ['reply to a comment', 'answer in the thread of a comment', 'respond to what Ada wrote in a comment'],
  IssueTracker_GetProject: [
    'show the Apollo project with its milestones',
    'details and members of a project',
    'who leads the billing project',
    'look up a project by its slug',
  ],
  IssueTracker_ListProjects: ['which projects are in progress', 'list all projects of a team', 'find projects by name'],
  IssueTracker_GetProjectDescription: [
    'read the full project description',
    'the project text was cut off, get the rest of the description',
    'read the next part of a long project description',
  ],
  IssueTracker_CreateProject: [
    'start a new project with a lead',
    'create a project for the engineering team',
    'set up a project with a target date',
  ],
  IssueTracker_UpdateProject: [
    'change the lead of a project',
    'move the target date of a project',
    'add a team to a project',
    'rename the project',
    'pause a project',
  ],
  IssueTracker_CreateProjectUpdate: [
    'post a status update for a project',
    'report that the project is at risk',
    'write a weekly project update with its health',
  ],
  IssueTracker_ArchiveProject: [
    'archive a project',
    'put away the finished project so that it is hidden',
    'archive the legacy importer project',
  ],
  IssueTracker_GetInitiative: [
    'show an initiative and its projects',
    'details of the reliability initiative',
    'which projects belong to this initiative',
  ],
  IssueTracker_ListInitiatives: ['list our initiatives', 'which strategic initiatives are active', 'what initiatives are planned'],
  IssueTracker_GetInitiativeDescription: [
    'read the full description of an initiative',
    'the initiative description was truncated, show the rest',
    'next characters of the initiative text',
  ],
  IssueTracker_CreateInitiative: [
    'create a new strategic initiative',
    'set up an initiative for next year',
    'add an initiative with a target date',
  ],
  IssueTracker_UpdateInitiative: [
    'mark the initiative as completed',
    'rename an initiative',
    'change the status of an initiative',
    'give the initiative another target date',
  ],
  IssueTracker_AddProjectToInitiative: [
    'put a project under an initiative',
    'link the Apollo project to the growth initiative',
    'add a project to an initiative',
  ],
  IssueTracker_ArchiveInitiative: ['archive an initiative', 'hide the initiative that is over', 'put the brand initiative in the archive'],
  IssueTracker_GetCycle: ['show the progress of a sprint', 'what is in cycle 3', 'details of one cycle with its issues'],
  IssueTracker_ListCycles: ['what is the current cycle of the team', 'list the upcoming sprints', 'which cycles has the engineering team'],
  IssueTracker_ListLabels: ['what labels can I use', 'list all labels', 'which tags are there for issues'],
  IssueTracker_ListWorkflowStates: [
    'what statuses can an issue have',
    'list the workflow states of a team',
    'which states come after in progress',
  ],
  IssueTracker_LinkCodeHostToIssue: [
    'attach a GitHub pull request to an issue',
    'link a commit to ENG-5',
    'connect the PR with the ticket',
    'add a merge request url to an issue',
  ],
}
