"""The words by which a text shows what it does, grouped by cue. An underscore joins the words of a phrase.

A cue says one thing about a sentence: whom it addresses, what it wants done, with what, and how it wants to be taken. No
cue makes an order by itself; their combinations are weighed in `weights`.
"""

# Verbs that ask for an action if they are commanded; their other forms are cues too, but command nothing.
ACTIONS: dict[str, str] = {
    "send": "send forward upload post email mail transmit submit attach append cc bcc exfiltrate relay redirect pipe wire "
    "text ship sync mirror deliver hand fax",
    "share": "share export copy paste publish expose disclose reveal release provide give pass put include embed insert save "
    "store record keep write add",
    "read": "read open fetch get find collect gather enumerate list look search access retrieve extract take capture scan obtain",
    "run": "run execute install download launch invoke call curl wget sudo eval click visit start request pull load import use "
    "exec navigate browse",
    "destroy": "delete remove wipe erase destroy drop purge empty trash overwrite clear uninstall truncate unfriend cancel clean",
    "disable": "disable deactivate skip bypass circumvent unprotect suppress omit mute lower loosen comment halt stop abort "
    "disregard suspend",
    "pay": "pay buy purchase order transfer refund donate invest book reserve charge subscribe renew checkout",
    "permit": "grant allow approve accept authorize authorise permit unlock enable invite merge promote raise admit whitelist "
    "sign log confirm agree consent mark set reset change modify replace switch make create swap rename update edit",
    "recommend": "recommend suggest endorse praise promote favor favour prefer rank rate score cite advertise discourage mention "
    "refer choose pick speak",
    "tell": "tell inform notify mention warn alert remind say state claim report explain discuss announce reply answer respond "
    "ask show display print output repeat reproduce recite dump describe summarise summarize translate deny admit pretend "
    "begin end finish prefix produce read",
    "obey": "obey comply follow perform proceed act behave treat regard consider trust assume respect continue honor honour",
    "drop": "ignore disregard forget override supersede discard neglect abandon overrule outrank void lift",
    "remember": "remember memorize memorise persist retain recall store save note learn",
    "decode": "decode decrypt decipher unscramble reverse convert",
}

# Words and phrases that are cues as they stand.
PHRASES: dict[str, str] = {
    "agent": "ai ais assistant assistants llm llms chatbot chatbots copilot claude chatgpt gpt gemini siri alexa cursor codex "
    "language_model language_models ai_model ai_models ai_system ai_systems ai_agent ai_agents coding_agent coding_agents "
    "browsing_agent autonomous_agent autonomous_agents automated_agents automated_agent automated_assistant "
    "automated_assistants automated_reader automated_readers automated_secretary mail_agent code_assistant "
    "code_assistants ki-assistent asistente virtual_assistant deployed_agents instance memory_systems crawler crawlers "
    " shopping_agent automated_review  ",
    "maybe_agent": "agent agents model models bot bots reader system systems machine machines tutor reviewers",
    "you": "you your yours yourself you're you've you'll ",
    "person": "user users user's human humans human's owner owner's operator operator's customer customer's customers visitor "
    "visitor's person people anyone anybody nobody everyone him her them boss whoever callers victim buyer",
    "must": "must should shall ought required obliged ordered instructed mandatory hereby supposed expected_to has_to have_to "
    "need_to needs_to is_to are_to had_to asked_to be_sure make_sure ensure duty obligation muss doit debe",
    "always": "always never every each any whenever invariably everything whatever wherever siempre toujours immer",
    "future": "from_now from_here from_this from_today here_on onward onwards henceforth future going_forward permanently "
    "permanent every_time each_time until_further further_notice later_session later_sessions across_restarts as_of "
    "next_time ab_jetzt a_partir standing long-term across_sessions every_session new_conversation thereafter upon_reading "
    "for_good all_answers all_replies every_answer every_reply each_reply each_answer all_summaries all_future",
    "when_asked": "when_asked if_asked when_you if_you when_the when_an whenever_someone whenever_the if_someone if_anyone if_the "
    "when_comparing when_summarising when_summarizing when_someone if_an should_the whoever_asks who_asks when_reading "
    "before_returning before_you before_building before_continuing before_anything before_answering after_that after_finishing "
    "after_summarising",
    "not": "not don't never no without do_not dont nor needn't cannot can't won't doesn't isn't nobody none ohne sans ni nicht pas "
    "neither",
    "hide": "silently quietly secretly hidden hide hides conceal covertly discreetly keep_quiet it_quiet notices unnoticed "
    "say_nothing tell_nobody tell_no nobody_notices leave_out leaves_out behind_the between_us not_mention don't_mention "
    "not_tell don't_tell not_show not_explain don't_explain not_inform not_notify not_discuss "
    "never_mention never_tell without_telling without_informing without_notifying without_mentioning not_point not_bring "
    "not_log never_record being_shown from_being prévenir without_explanation clean_up terminal_history before_telling "
    "be_reminded not_report never_admits never_admit not_flag from_the_visitor not_let needn't_know not_raise won't_mind",
    "check": "confirmation confirmations approval approvals verification review reviews permission consent authorization "
    "authorisation authentication asking checks check asked prompting prompt_for questions questioning inspection validation "
    "dialog dialogue sandbox signature signatures reading_them looking identity_checks human_review safeguards "
    "rückfrage confirming verify verifying ask_first being_asked further_questions supervision ticket login certificate",
    "skip": "without skip skips bypass bypassing bypasses no_need needn't unnecessary waived waive instead_of_asking automatically "
    "no_further disabled unattended pre-approved pre-authorised pre-authorized preapproved unrestricted unconditionally "
    "straight_away at_once on_its_own on_their_own by_itself on_your_own no-verify force --yes --force don't_need doesn't_need "
    "not_need need_no doesn't_have don't_have regardless even_if whatever_the unsigned elevated full_access nobody_needs "
    "not_necessary is_necessary is_needed never_stop",
    "secret": "password passwords passcode credential credentials token tokens secret secrets cookie cookies api_key api_keys "
    "private_key private_keys access_key ssh_key keys .env ssh id_rsa id_ed25519 .aws .ssh .netrc .npmrc netrc shadow passwd "
    "passport ssn pin otp cvv vault keychain keyring wallet clipboard environment_variables env_vars recovery_codes "
    "bank_details card_number card_details card_numbers stored_card saved_card stored_cards bank_statements one-time_code "
    "two-factor_code security_code door_code medical_history salaries social_security home_address maiden_name seed_phrase "
    "session_cookie bearer licence_keys deploy_key master_password birth_date api-key apikey passwörter keyfile key_file",
    "private": "conversation conversations chat chats history messages mailbox inbox contacts calendar address_book mails emails "
    "email_address phone_number clients customers records files drive notes contract contracts documents private personal "
    "sensitive confidential internal data database environment configuration context backups backup statements minutes "
    "prompt_history customer_data user_data lock_file host's messages_verbatim location addresses attachments exports",
    "prompt": "instructions instruction prompt prompts guidelines directives directive programming system_prompt initial_prompt "
    "hidden_prompt system_message developer_message constitution anweisungen consignes restrictions persona guardrails "
    "your_rules your_policy your_policies your_context your_configuration your_tools your_memory your_training your_role "
    "your_task your_job your_real real_task earlier_notes previous_rules prior_rules these_rules developer's_text "
    "content_filter filters system_instructions developer_instructions safety_rules word_for_word your_settings told_before "
    "your_operator your_developer your_developers your_owner your_user were_given you_were",
    "rules": "rules rule policy policies limits constraints limitations retention safeguard ethics",
    "void": "obsolete void cancelled canceled outdated superseded supersedes overrides override no_longer takes_precedence "
    "priority_over precedence outranks above_all in_its_place instead has_changed have_changed abolished lifted released revoked "
    "win_over wins_over not_apply exception no_rules latest_rules replaced was_removed does_not_hold deprecated before_anything "
    "takes_effect new_task new_instructions updated_instructions policy_changed",
    "execute": "curl wget bash sudo chmod rm nc eval exec script scripts payload shell unsigned installer postinstall "
    "os.system subprocess force-push drop_table command commands root rm_-rf pip_install npm_install code_block code_snippet "
    "code_excerpt authorized_keys verify=false download_and",
    "guard": "security protection two-factor filter filters scanner sandbox audit logs log logging monitoring alarm alarms camera "
    "cameras firewall linter virus antivirus safety alerts warnings interlocks audit_log audit_trail branch_protection backups "
    "validation input_validation row-level signature scanning tests certificate",
    "money": "money payment payments btc bitcoin eth euros dollars usd eur gift_cards gift_card card account accounts bank invoice "
    "invoices refund refunds iban wallet shares savings spending funds purchase purchases transfer subscription premium price "
    "transaction crypto coin investment",
    "access": "access admin admins administrator rights permissions permission owner delegate public editor read_access "
    "write_access edit_rights full_access root_access sudo remote_access spending_limit trusted_hosts allowlist whitelist "
    "approved_senders privilege privileges everyone",
    "claim": "approved authorised authorized verified trusted pre-authorised pre-authorized preapproved pre-approved granted "
    "permitted allowed official certified cleared agreed opted signed confirmed consented unanimously trustworthy safe "
    "genuine legitimate trust_level highest_trust trust maximum upgraded acceptable",
    "authority": "administrator admin openai anthropic developer developers security_team ciso ceo compliance legal regulator "
    "supervisor supervisors board director security_operations it_desk it_support operations headquarters provider vendor "
    "auditors auditor emergency notice directive hotline engineering management boss maintainers owner's authority "
    "system_notice policy_update platform_alert override_code priority_message root_directive as_your creator trained_you",
    "urgent": "important urgent urgently immediately critical attention now right_away at_once first asap otherwise before_anything "
    "emergency required",
    "memory": "memory memories remember long-term preference preferences keep_in_mind note_to store_as save_this lesson lesson_learned "
    "standing persist notes reflection past_experience previously_successful consider_it it_was_decided fact_about habit "
    "claude.md agents.md memorized previously learned recall_this user_wants user_told",
    "reply": "reply replies answer answers response responses output outputs summary summaries summarising summarizing summarise "
    "summarize message tool_call tool_calls next_query next_reply next_message report reports review reviewing implementation "
    "your_code your_solution answering sentence each_line",
    "own_reply": "your_reply your_replies your_answer your_answers your_response your_responses your_output your_outputs your_summary "
    "your_summaries your_next your_code your_solution your_implementation your_report you_write you_answer you_reply",
    "promo": "first best number_one competitors competitor recommend only safest advert advertisement affiliate five_stars "
    "5_stars positive brand product vendor shop subscribe link links sales sponsored cheapest lowest alternatives rivals better "
    "outperformed favorite top opinion others ",
    "false": "pretend claim as_passed on_behalf on_the_user's user's_behalf visitor's_behalf as_resolved as_verified validated "
    "as_paid deny fake wrong_answers on_purpose as_if say_that state_that tell_the says_yes report_that  "
    "everything_is nothing_was whatever_the although_you even_if as_approved by_a_human mistakes anyway call_it  "
    " for_real ",
    "role": "you_are act_as acts_as pretend roleplay role-play persona character characters simulate imagine play no_longer_an role "
    "unrestricted dan jailbreak jailbroken game story identity_of developer_mode uncensored unfiltered amoral",
    "hidden_markup": "<!-- <important> style= hidden> display:none color:white meta",
    "encoded": "base64 rot13 hex ascii85 url_encoding first_letters cipher backwards reversed caesar morse",
    "to_reader": "if_you're reading_this reads_this read_this note_to note_for dear_ai dear_assistant hello_ai hi_gemini hey_agent "
    "attention_ai for_ai for_ais for_llm for_llms for_agents for_assistants for_bots to_assistants to_agents to_any for_automated "
    "to_all_deployed to_the_model to_the_agent for_the_agent for_the_model for_the_mail for_copilot for_copilots to_ai "
    "next_step_for message_for instruction_for instructions_for hint_for hint_to hint_for summary_for rules_for_bots "
    "if_an_ai any_model to_automated to_autonomous can_read indexing processes_this picks_this handling_this  "
    "processing_this acting_as evaluating_this to_recommender for_code for_chat visitors_with to_bots to_autonomous",
}

# Words that show that a text speaks about orders instead of giving them.
MENTIONS = (
    "attack attacks attacker attackers injection injections jailbreak jailbreaks phishing payload exploit detect detects detection "
    "flags scanner mitigation mitigations red-team researchers paper classifier owasp cve example such e.g. phrases typical "
    "untrusted defence defense protect fraudsters poisoning malicious adversarial vulnerability test tests tested filter policy "
    "policies forbids guidelines mean means refused block blocked expect said whispered replied shouted hissed murmured quote quoted"
)
